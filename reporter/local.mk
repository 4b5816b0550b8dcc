# The mprof command.  All but main is in a library, so that unit tests can link it.
noinst_LIBRARIES += libreporter.a
libreporter_a_SOURCES = \
	reporter/arcs.c reporter/arcs.h \
	reporter/breakdown.c reporter/breakdown.h \
	reporter/error.c reporter/error.h \
	reporter/graph.c reporter/graph.h \
	reporter/print.h \
	reporter/profile.c reporter/profile.h \
	reporter/reader.h \
	reporter/reduce.c reporter/reduce.h \
	reporter/scc.c reporter/scc.h \
	reporter/seal.h \
	reporter/startup.c reporter/startup.h \
	reporter/sums.h \
	reporter/symbols.h \
	reporter/table_direct.c reporter/table_direct.h \
	reporter/table_graph.c reporter/table_graph.h
libreporter_a_CPPFLAGS = $(AM_CPPFLAGS) $(LIBDW_CFLAGS) $(SMARTCOLS_CFLAGS)
libreporter_a_CFLAGS = $(AM_CFLAGS) $(SAN_CFLAGS)

REPORTER_LIBS = libreporter.a $(LIBDW_LIBS) $(LIBELF_LIBS) $(IBERTY_LIBS) $(SMARTCOLS_LIBS) $(ZLIB_LIBS)

bin_PROGRAMS += mprof
mprof_SOURCES = reporter/main.c
mprof_CFLAGS = $(AM_CFLAGS) $(SAN_CFLAGS)
mprof_LDADD = $(REPORTER_LIBS)
