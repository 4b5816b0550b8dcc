# Unit tests are Check programs that print TAP (CK_TAP_LOG_FILE_NAME=-), end-to-end tests are
# scripts that print TAP; the same driver runs both.
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
TEST_EXTENSIONS = .sh
SH_LOG_DRIVER = $(LOG_DRIVER)

include $(srcdir)/tests/unit/local.mk
include $(srcdir)/tests/programs/local.mk
include $(srcdir)/tests/ecl/local.mk
include $(srcdir)/tests/faults/local.mk
include $(srcdir)/tests/e2e/local.mk
include $(srcdir)/tests/bench/local.mk
include $(srcdir)/tests/lint/local.mk
include $(srcdir)/tests/fuzz/local.mk
include $(srcdir)/tests/releases/local.mk
