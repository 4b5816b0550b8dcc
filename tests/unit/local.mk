# One program a module.
check_PROGRAMS += tests/unit/test_error
TESTS += tests/unit/test_error
tests_unit_test_error_SOURCES = tests/unit/test_error.c
tests_unit_test_error_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_error_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_error_LDADD = $(UNIT_LIBS)

check_PROGRAMS += tests/unit/test_data_file
TESTS += tests/unit/test_data_file
tests_unit_test_data_file_SOURCES = tests/unit/test_data_file.c
tests_unit_test_data_file_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_data_file_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_data_file_LDADD = $(UNIT_LIBS)

check_PROGRAMS += tests/unit/test_head
TESTS += tests/unit/test_head
tests_unit_test_head_SOURCES = tests/unit/test_head.c
tests_unit_test_head_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_head_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_head_LDADD = $(UNIT_LIBS)

check_PROGRAMS += tests/unit/test_launch
TESTS += tests/unit/test_launch
tests_unit_test_launch_SOURCES = tests/unit/test_launch.c
tests_unit_test_launch_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_launch_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_launch_LDADD = $(UNIT_LIBS)

check_PROGRAMS += tests/unit/test_table_bins
TESTS += tests/unit/test_table_bins
tests_unit_test_table_bins_SOURCES = tests/unit/test_table_bins.c
tests_unit_test_table_bins_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_table_bins_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_table_bins_LDADD = $(UNIT_LIBS)

check_PROGRAMS += tests/unit/test_table_leaks
TESTS += tests/unit/test_table_leaks
tests_unit_test_table_leaks_SOURCES = tests/unit/test_table_leaks.c
tests_unit_test_table_leaks_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_table_leaks_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_table_leaks_LDADD = $(UNIT_LIBS)
