# make check-mutations: how many of N random changes of the C sources the tests detect, which takes some minutes for each
# change; SEED chooses which.
N = 200
SEED = 1
EXTRA_DIST += tests/mutation/run.py

.PHONY: check-mutations
check-mutations:
	@PYTHONDONTWRITEBYTECODE=1 python3 $(srcdir)/tests/mutation/run.py $(N) $(SEED) $(srcdir) '$(TESTS)' '$(LONG_TESTS)'
# SPDX-License-Identifier: MIT
