# make check-builds: the tarball, built in other ways; BUILDS="clang lto" chooses.  Not a part of make check: it takes
# some minutes each.
BUILDS =
EXTRA_DIST += tests/builds/run.sh

.PHONY: check-builds
check-builds: all
	@$(SHELL) $(srcdir)/tests/builds/run.sh $(BUILDS)
