# make check-releases: runs ./bootstrap check-all on other releases of Debian; RELEASES="trixie" selects some, and run.sh
# lists other settings. It is not a part of make check, because it needs root, and packages from the network.
RELEASES = bookworm trixie forky
EXTRA_DIST += tests/releases/run.sh tests/releases/root.sh tests/releases/results.sh

.PHONY: check-releases
check-releases:
	@$(SHELL) $(srcdir)/tests/releases/run.sh $(RELEASES)
# SPDX-License-Identifier: MIT
