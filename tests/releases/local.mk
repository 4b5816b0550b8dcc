# make check-releases: ./bootstrap check on other releases of Debian; RELEASES="trixie" chooses, and
# run.sh says what else can be.  Not a part of make check: it needs root, and packages from the network.
RELEASES = bookworm trixie
EXTRA_DIST += tests/releases/run.sh tests/releases/results.sh

.PHONY: check-releases
check-releases:
	@$(SHELL) $(srcdir)/tests/releases/run.sh $(RELEASES)
