# The mprof command.  All but main is in a library, so that unit tests can link it.
noinst_LIBRARIES += libreporter.a
libreporter_a_SOURCES = \
	reporter/demangle.c reporter/demangle.h \
	reporter/error.c reporter/error.h \
	reporter/profile.c reporter/profile.h \
	reporter/reader.h \
	reporter/seal.h \
	reporter/symbols.c reporter/symbols.h \
	reporter/symbols_die.c \
	reporter/symbols_dwarf.c \
	reporter/symbols_elf.c \
	reporter/symbols_fde.c \
	reporter/symbols_internal.h \
	reporter/symbols_lookup.c \
	reporter/symbols_module.c \
	reporter/symbols_types.c \
	reporter/symbols_unique.c
libreporter_a_CPPFLAGS = $(AM_CPPFLAGS) $(LIBDW_CFLAGS) $(SMARTCOLS_CFLAGS)
libreporter_a_CFLAGS = $(AM_CFLAGS) $(SAN_CFLAGS)

REPORTER_LIBS = libreporter.a $(LIBDW_LIBS) $(LIBELF_LIBS) $(IBERTY_LIBS) $(SMARTCOLS_LIBS) $(ZLIB_LIBS)

bin_PROGRAMS += mprof
mprof_SOURCES = reporter/main.c
mprof_CFLAGS = $(AM_CFLAGS) $(SAN_CFLAGS)
mprof_LDADD = $(REPORTER_LIBS)
