# The mprof command.  All but main is in a library, so that unit tests can link it.
noinst_LIBRARIES += libreporter.a
libreporter_a_SOURCES = \
	reporter/buffer.c reporter/buffer.h \
	reporter/check.c reporter/check.h \
	reporter/cursor.c reporter/cursor.h \
	reporter/error.c reporter/error.h \
	reporter/live_bins.c \
	reporter/live_cells.c \
	reporter/live_frames.c \
	reporter/live_image.c reporter/live_image.h \
	reporter/live_parts.h \
	reporter/live_tree.c \
	reporter/profile.c reporter/profile.h \
	reporter/reader.c reporter/reader.h \
	reporter/reader_live.c \
	reporter/reader_sealed.c \
	reporter/seal.c reporter/seal.h \
	reporter/sealed_counters.c \
	reporter/sealed_decode.c \
	reporter/sealed_encode.c \
	reporter/sealed_parts.h \
	reporter/source.c reporter/source.h \
	reporter/symbols.h \
	reporter/text.c reporter/text.h
libreporter_a_CPPFLAGS = $(AM_CPPFLAGS) $(LIBDW_CFLAGS) $(SMARTCOLS_CFLAGS)
libreporter_a_CFLAGS = $(AM_CFLAGS) $(SAN_CFLAGS)

REPORTER_LIBS = libreporter.a $(LIBDW_LIBS) $(LIBELF_LIBS) $(IBERTY_LIBS) $(SMARTCOLS_LIBS) $(ZLIB_LIBS)

bin_PROGRAMS += mprof
mprof_SOURCES = reporter/main.c
mprof_CFLAGS = $(AM_CFLAGS) $(SAN_CFLAGS)
mprof_LDADD = $(REPORTER_LIBS)
