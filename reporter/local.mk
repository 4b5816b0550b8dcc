# The mprof command.  All but main is in a library, so that unit tests can link it, and shared
# objects: with -shared libtool compiles each file once, as such objects need it.
noinst_LTLIBRARIES += libreporter.la
libreporter_la_SOURCES = \
	reporter/arcs.c reporter/arcs.h \
	reporter/breakdown.c reporter/breakdown.h \
	reporter/breakdown_kinds.c reporter/breakdown_kinds.h \
	reporter/buffer.c reporter/buffer.h \
	reporter/chain.c reporter/chain.h \
	reporter/charge.c reporter/charge.h \
	reporter/check.c reporter/check.h \
	reporter/cmd_control.c \
	reporter/cmd_dump.c \
	reporter/cmd_report.c \
	reporter/cmd_run.c \
	reporter/columns.c reporter/columns.h \
	reporter/command.c reporter/command.h \
	reporter/cursor.c reporter/cursor.h \
	reporter/cycles.c reporter/cycles.h \
	reporter/data_file.c reporter/data_file.h \
	reporter/demangle.c reporter/demangle.h \
	reporter/dump.c reporter/dump.h \
	reporter/error.c reporter/error.h \
	reporter/focus.c reporter/focus.h \
	reporter/format_number.c reporter/format_number.h \
	reporter/graph.c reporter/graph.h \
	reporter/graph_lines.c reporter/graph_lines.h \
	reporter/harvest.c reporter/harvest.h \
	reporter/head.c reporter/head.h \
	reporter/launch.c reporter/launch.h \
	reporter/lisp_names.c reporter/lisp_names.h \
	reporter/live_bins.c \
	reporter/live_cells.c \
	reporter/live_frames.c \
	reporter/live_image.c reporter/live_image.h \
	reporter/live_names.c \
	reporter/live_objects.c \
	reporter/live_parts.h \
	reporter/live_tree.c \
	reporter/preload.c reporter/preload.h \
	reporter/print.h \
	reporter/process.c reporter/process.h \
	reporter/profile.c reporter/profile.h \
	reporter/program.c reporter/program.h \
	reporter/reader.c reporter/reader.h \
	reporter/reader_live.c \
	reporter/reader_sealed.c \
	reporter/recursion.c reporter/recursion.h \
	reporter/reduce.c reporter/reduce.h \
	reporter/report.c reporter/report.h \
	reporter/report_sites.c \
	reporter/report_text.c reporter/report_text.h \
	reporter/scc.c reporter/scc.h \
	reporter/seal.c reporter/seal.h \
	reporter/sealed_counters.c \
	reporter/sealed_decode.c \
	reporter/sealed_encode.c \
	reporter/sealed_parts.h \
	reporter/sites.c reporter/sites.h \
	reporter/source.c reporter/source.h \
	reporter/source_lines.c reporter/source_lines.h \
	reporter/startup.c reporter/startup.h \
	reporter/summary.c reporter/summary.h \
	reporter/sums.h \
	reporter/symbols.c reporter/symbols.h \
	reporter/symbols_answer.c \
	reporter/symbols_cache.c reporter/symbols_cache.h \
	reporter/symbols_copies.c \
	reporter/symbols_copy.c \
	reporter/symbols_debug.c \
	reporter/symbols_die.c \
	reporter/symbols_dwarf.c \
	reporter/symbols_elf.c \
	reporter/symbols_fde.c \
	reporter/symbols_internal.h \
	reporter/symbols_lines.c \
	reporter/symbols_lookup.c \
	reporter/symbols_module.c \
	reporter/symbols_split.c \
	reporter/symbols_stored.c reporter/symbols_stored.h \
	reporter/symbols_types.c \
	reporter/symbols_unique.c \
	reporter/table_bins.c reporter/table_bins.h \
	reporter/table_cycle.c reporter/table_cycle.h \
	reporter/table_direct.c reporter/table_direct.h \
	reporter/table_functions.c reporter/table_functions.h \
	reporter/table_graph.c reporter/table_graph.h \
	reporter/table_leaks.c reporter/table_leaks.h \
	reporter/table_sites.c reporter/table_sites.h \
	reporter/table_survival.c reporter/table_survival.h \
	reporter/table_types.c reporter/table_types.h \
	reporter/term.c reporter/term.h \
	reporter/text.c reporter/text.h \
	reporter/view.c reporter/view.h \
	reporter/writer.c reporter/writer.h
# Where the command finds libmprof.so once installed.
libreporter_la_CPPFLAGS = $(AM_CPPFLAGS) $(LIBDW_CFLAGS) \
	-DMP_BINDIR='"$(bindir)"' -DMP_LIBDIR='"$(libdir)"'
libreporter_la_CFLAGS = $(AM_CFLAGS) $(SAN_CFLAGS) -fvisibility=hidden -shared

REPORTER_LIBS = libreporter.la $(LIBDW_LIBS) $(LIBELF_LIBS) $(IBERTY_LIBS) $(ZLIB_LIBS)

bin_PROGRAMS += mprof
mprof_SOURCES = reporter/main.c
mprof_CFLAGS = $(AM_CFLAGS) $(SAN_CFLAGS)
mprof_LDADD = $(REPORTER_LIBS)
