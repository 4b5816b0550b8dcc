# One program a module.
check_PROGRAMS += \
	tests/unit/test_cursor \
	tests/unit/test_error \
	tests/unit/test_profile \
	tests/unit/test_reader_live \
	tests/unit/test_seal
TESTS += \
	tests/unit/test_cursor \
	tests/unit/test_error \
	tests/unit/test_profile \
	tests/unit/test_reader_live \
	tests/unit/test_seal
EXTRA_DIST += \
	tests/data/live-1.data \
	tests/data/sealed-1.data

tests_unit_test_cursor_SOURCES = tests/unit/test_cursor.c
tests_unit_test_cursor_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_cursor_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_cursor_LDADD = $(UNIT_LIBS)

tests_unit_test_error_SOURCES = tests/unit/test_error.c
tests_unit_test_error_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_error_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_error_LDADD = $(UNIT_LIBS)

tests_unit_test_profile_SOURCES = tests/unit/test_profile.c
tests_unit_test_profile_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_profile_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_profile_LDADD = $(UNIT_LIBS)

tests_unit_test_reader_live_SOURCES = tests/unit/test_reader_live.c \
	tests/unit/live_builder.c tests/unit/live_builder.h \
	tests/unit/profile_checks.c tests/unit/profile_checks.h
tests_unit_test_reader_live_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_reader_live_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_reader_live_LDADD = $(UNIT_LIBS)

tests_unit_test_seal_SOURCES = tests/unit/test_seal.c \
	tests/unit/live_builder.c tests/unit/live_builder.h \
	tests/unit/profile_checks.c tests/unit/profile_checks.h
tests_unit_test_seal_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_seal_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_seal_LDADD = $(UNIT_LIBS)
