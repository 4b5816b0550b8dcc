# make release: what a release publishes, in release/. make tarball-bin: a tarball of programs that can be unpacked anywhere.
# The others are recipes; doc/building.md lists them.
EXTRA_DIST += packaging/release.sh packaging/tarball_bin.sh packaging/mprof.spec packaging/guix.scm packaging/mprof.rb \
	packaging/Containerfile

.PHONY: release tarball-bin
release:
	@$(SHELL) $(srcdir)/packaging/release.sh $(VERSION)
tarball-bin: all
	@$(SHELL) $(srcdir)/packaging/tarball_bin.sh $(VERSION) '$(MAKE)'
# SPDX-License-Identifier: MIT
