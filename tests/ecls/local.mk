# make check-ecls: what of mprof works with ECLs that are built in other ways; ECLS="static bundled" chooses.  Not a part
# of make check: building an ECL takes minutes, and needs sources from the network.
ECLS =
EXTRA_DIST += tests/ecls/run.sh tests/ecls/top.c

.PHONY: check-ecls
check-ecls: all
	@$(SHELL) $(srcdir)/tests/ecls/run.sh $(ECLS)
