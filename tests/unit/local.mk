# One program a module.
check_PROGRAMS += tests/unit/test_error
TESTS += tests/unit/test_error
tests_unit_test_error_SOURCES = tests/unit/test_error.c
tests_unit_test_error_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_error_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_error_LDADD = $(UNIT_LIBS)
