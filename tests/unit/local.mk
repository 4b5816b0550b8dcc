# One program a module.
check_PROGRAMS += tests/unit/test_error
TESTS += tests/unit/test_error
tests_unit_test_error_SOURCES = tests/unit/test_error.c
tests_unit_test_error_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_error_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_error_LDADD = $(UNIT_LIBS)

check_PROGRAMS += tests/unit/test_demangle
TESTS += tests/unit/test_demangle
tests_unit_test_demangle_SOURCES = tests/unit/test_demangle.c
tests_unit_test_demangle_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_demangle_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_demangle_LDADD = $(UNIT_LIBS)

check_PROGRAMS += tests/unit/test_symbols
TESTS += tests/unit/test_symbols
tests_unit_test_symbols_SOURCES = tests/unit/test_symbols.c
tests_unit_test_symbols_CPPFLAGS = $(UNIT_CPPFLAGS) $(LIBDW_CFLAGS) -DPROGRAMS='"$(abs_builddir)/tests/programs"'
tests_unit_test_symbols_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_symbols_LDADD = $(UNIT_LIBS)

check_PROGRAMS += tests/unit/test_symbols_lookup
TESTS += tests/unit/test_symbols_lookup
tests_unit_test_symbols_lookup_SOURCES = tests/unit/test_symbols_lookup.c
tests_unit_test_symbols_lookup_CPPFLAGS = $(UNIT_CPPFLAGS) $(LIBDW_CFLAGS)
tests_unit_test_symbols_lookup_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_symbols_lookup_LDADD = $(UNIT_LIBS)
