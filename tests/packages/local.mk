# make deb: builds Debian packages of this tree, each release's in a clean root of its own. make check-deb: also installs
# them in fresh roots and tries what they have. make check-reproducible: builds them twice. RELEASES selects releases.
# They need root, and packages from the network.
PACKAGES = $(SHELL) $(srcdir)/tests/packages/run.sh
EXTRA_DIST += tests/packages/run.sh tests/packages/build.sh tests/packages/installed.sh tests/packages/local_install.sh \
	tests/packages/tarball_bin.sh

.PHONY: deb check-deb check-reproducible check-install check-tarball-bin
deb:
	@$(PACKAGES) build $(RELEASES)
check-deb:
	@$(PACKAGES) check $(RELEASES)
check-reproducible:
	@$(PACKAGES) reproducible $(RELEASES)
check-install:
	@$(PACKAGES) install $(RELEASES)
check-tarball-bin: tarball-bin
	@$(PACKAGES) tarball $(RELEASES)
# SPDX-License-Identifier: MIT
