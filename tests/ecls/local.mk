# make check-ecls: tests which parts of mprof work with ECLs that are built in other ways; ECLS="static bundled" selects
# some. It is not a part of make check, because building an ECL takes minutes and needs sources from the network.
ECLS =
EXTRA_DIST += tests/ecls/run.sh tests/ecls/top.c

.PHONY: check-ecls
check-ecls: all
	@$(SHELL) $(srcdir)/tests/ecls/run.sh $(ECLS)
# SPDX-License-Identifier: MIT
