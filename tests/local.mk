# Unit tests are Check programs that print TAP (CK_TAP_LOG_FILE_NAME=-), end-to-end tests are
# scripts that print TAP; the same driver runs both.
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
TEST_EXTENSIONS = .sh
SH_LOG_DRIVER = $(LOG_DRIVER)
# A test that hangs is ended with status 124 and fails. No test takes that long, even on a loaded machine.
TEST_LIMIT = 15m
LOG_COMPILER = $(srcdir)/tests/cpu_time.sh timeout -k 10s $(TEST_LIMIT)
SH_LOG_COMPILER = $(LOG_COMPILER)
# Check's default limit for a test is 4 s. Only tests that hang should fail, not those on a loaded machine.
AM_TESTS_ENVIRONMENT = CK_DEFAULT_TIMEOUT=120; export CK_DEFAULT_TIMEOUT;

# Tests run in the order of these files.
include $(srcdir)/tests/lint/local.mk
include $(srcdir)/tests/unit/local.mk
include $(srcdir)/tests/programs/local.mk
include $(srcdir)/tests/ecl/local.mk
include $(srcdir)/tests/faults/local.mk
include $(srcdir)/tests/e2e/local.mk
include $(srcdir)/tests/html/local.mk
include $(srcdir)/tests/bench/local.mk
include $(srcdir)/tests/builds/local.mk
include $(srcdir)/tests/ecls/local.mk
include $(srcdir)/tests/fuzz/local.mk
include $(srcdir)/tests/packages/local.mk
include $(srcdir)/tests/releases/local.mk
include $(srcdir)/tests/long.mk
include $(srcdir)/tests/mutation/local.mk

# make check-all: all tests. make check-long: those that make check leaves out. make check-quick: lints and unit tests,
# which need no other packages than the build.
.PHONY: check-all check-long check-quick
check-all:
	@$(MAKE) check TESTS='$(TESTS) $(LONG_TESTS)'
check-long:
	@$(MAKE) check TESTS='$(LONG_TESTS)'
check-quick: all
	@$(MAKE) check-units LINTS_TOO='$(LINTS)'

# The end of a run names the tests that took the most processor time. make check-times lists all that have a log.
EXTRA_DIST += tests/cpu_time.sh
.PHONY: check-times slowest-tests
test-suite.log: slowest-tests
slowest-tests: $(TEST_LOGS)
	@$(srcdir)/tests/cpu_time.sh --slowest $(TEST_LOGS)
check-times:
	@$(srcdir)/tests/cpu_time.sh --list
# SPDX-License-Identifier: MIT
