# make check-builds: builds the tarball in other ways; BUILDS="clang lto" selects some. It is not a part of make check,
# because each takes some minutes.
BUILDS =
EXTRA_DIST += tests/builds/run.sh

.PHONY: check-builds
check-builds: all
	@$(SHELL) $(srcdir)/tests/builds/run.sh $(BUILDS)
# SPDX-License-Identifier: MIT
