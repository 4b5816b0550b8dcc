# The mprof command. Everything except main is in a library, which unit tests and the shared objects for Lisp link too.
# With -shared, libtool compiles each file only once, for shared objects.
noinst_LTLIBRARIES += libreporter.la
libreporter_la_SOURCES = \
	reporter/api_sites.c \
	reporter/api_heap.c \
	reporter/api_text.c reporter/api.h \
	reporter/base/arena.c reporter/base/arena.h \
	reporter/base/buffer.c reporter/base/buffer.h \
	reporter/base/clock.h \
	reporter/base/columns.c reporter/base/columns.h \
	reporter/base/compress.c reporter/base/compress.h \
	reporter/base/cursor.c reporter/base/cursor.h \
	reporter/base/error.c reporter/base/error.h \
	reporter/base/file_at.c reporter/base/file_at.h \
	reporter/base/fit.c reporter/base/fit.h \
	reporter/base/fnv.h \
	reporter/base/format_number.c reporter/base/format_number.h \
	reporter/base/globs.c reporter/base/globs.h \
	reporter/base/json.c reporter/base/json.h \
	reporter/base/label.h \
	reporter/base/map.c reporter/base/map.h \
	reporter/base/name_parts.c reporter/base/name_parts.h \
	reporter/base/open_file.c reporter/base/open_file.h \
	reporter/base/pattern.c reporter/base/pattern.h \
	reporter/base/progress.c reporter/base/progress.h \
	reporter/base/protobuf.c reporter/base/protobuf.h \
	reporter/base/search.c reporter/base/search.h \
	reporter/base/short_names.c reporter/base/short_names.h \
	reporter/base/term.c reporter/base/term.h \
	reporter/base/text.c reporter/base/text.h \
	reporter/base/text_file.c reporter/base/text_file.h \
	reporter/base/write_file.c reporter/base/write_file.h \
	reporter/base/xml.c reporter/base/xml.h \
	reporter/command/checks.c reporter/command/checks.h \
	reporter/command/cmd_annotate.c \
	reporter/command/cmd_check.c \
	reporter/command/cmd_control.c \
	reporter/command/cmd_diff.c \
	reporter/command/cmd_export.c \
	reporter/command/cmd_plot.c \
	reporter/command/cmd_findings.c \
	reporter/command/cmd_heap.c \
	reporter/command/cmd_html.c \
	reporter/command/cmd_flamegraph.c \
	reporter/command/cmd_leaks.c \
	reporter/command/cmd_merge.c \
	reporter/command/cmd_report.c \
	reporter/command/cmd_run.c \
	reporter/command/cmd_replay.c \
	reporter/replay/learn.c \
	reporter/replay/log.h reporter/replay/log_read.c \
	reporter/replay/log_seal.c reporter/replay/log_seal.h \
	reporter/replay/log_objects.c reporter/replay/log_objects.h \
	reporter/replay/simulate.c reporter/replay/simulate.h \
	reporter/replay/simulated_heap.c reporter/replay/simulated_heap.h \
	reporter/replay/replay_json.c \
	reporter/replay/trials.c reporter/replay/trials.h \
	reporter/replay/replay.c reporter/replay/replay.h \
	reporter/command/cmd_seal.c \
	reporter/command/cmd_serve.c reporter/command/http_commands.h \
	reporter/command/cmd_http.c \
	reporter/command/command_main.c reporter/command/command_main.h \
	reporter/command/cmd_top.c \
	reporter/command/cmd_totals.c \
	reporter/command/cmd_watch.c \
	reporter/command/command.c reporter/command/command.h \
	reporter/command/interrupt.c reporter/command/interrupt.h \
	reporter/command/limit_options.c reporter/command/limit_options.h \
	reporter/command/input_files.c reporter/command/input_files.h \
	reporter/command/option_table.c reporter/command/option_table.h \
	reporter/command/output_file.c reporter/command/output_file.h \
	reporter/command/view_options.c reporter/command/view_options.h \
	reporter/command/topics.h \
	reporter/export/cell_blocks.c reporter/export/cell_blocks.h \
	reporter/export/callgrind.c \
	reporter/export/flat_rows.c reporter/export/flat_rows.h \
	reporter/export/dhat.c \
	reporter/export/dump.c \
	reporter/export/export.c reporter/export/export.h \
	reporter/export/export_formats.c reporter/export/export_formats.h \
	reporter/export/flat.c \
	reporter/export/heaptrack.c \
	reporter/export/massif.c \
	reporter/export/pprof.c \
	reporter/export/speedscope.c \
	reporter/compare/changes.c reporter/compare/changes.h \
	reporter/compare/compare.c reporter/compare/compare.h \
	reporter/compare/difference.c \
	reporter/compare/join.c reporter/compare/join.h \
	reporter/compare/sentences.c reporter/compare/sentences.h \
	reporter/compare/table_changes.c reporter/compare/table_changes.h \
	reporter/findings/facts.c reporter/findings/facts.h \
	reporter/findings/findings.c reporter/findings/findings.h \
	reporter/findings/places.c reporter/findings/places.h \
	reporter/findings/rule_across.c \
	reporter/findings/rule_sparse.c \
	reporter/findings/rule_steps.c \
	reporter/findings/rules_turnover.c reporter/findings/rule_spread.c reporter/findings/rule_peak.c reporter/findings/phrases.c reporter/findings/phrases.h \
	reporter/findings/rule_grows.c \
	reporter/findings/rule_grew.c \
	reporter/findings/rule_held.c \
	reporter/findings/rule_kept.c \
	reporter/findings/rule_phase.c \
	reporter/findings/rule_rounded.c \
	reporter/findings/rule_faulty.c \
	reporter/findings/rule_tiny.c \
	reporter/findings/rules_ages.c \
	reporter/findings/rules_lisp.c \
	reporter/findings/series.c reporter/findings/series.h \
	reporter/graph/breakdown_kinds.c reporter/graph/breakdown_kinds.h \
	reporter/graph/cycles.c reporter/graph/cycles.h \
	reporter/graph/graph.c reporter/graph/graph.h \
	reporter/graph/reduce.c reporter/graph/reduce.h \
	reporter/graph/scc.c reporter/graph/scc.h \
	reporter/graph/sites.c reporter/graph/sites.h \
	reporter/heap/containers.c reporter/heap/containers.h \
	reporter/heap/disjoint.c reporter/heap/disjoint.h \
	reporter/heap/dominate.c reporter/heap/dominate.h \
	reporter/heap/heap.h \
	reporter/heap/heap_files.c reporter/heap/heap_files.h \
	reporter/heap/heap_find.c reporter/heap/heap_parts.h \
	reporter/heap/heap_growth.c reporter/heap/heap_growth.h \
	reporter/heap/heap_held.c reporter/heap/heap_held.h \
	reporter/heap/heap_hold.c reporter/heap/heap_hold.h \
	reporter/heap/heap_load.c \
	reporter/heap/heap_plot.c reporter/heap/heap_plot.h \
	reporter/heap/heap_names.c reporter/heap/heap_names.h \
	reporter/heap/heap_report.c reporter/heap/heap_report.h \
	reporter/heap/heap_seal.c reporter/heap/heap_seal.h \
	reporter/heap/heap_series.c reporter/heap/heap_series.h \
	reporter/heap/heap_stream.c reporter/heap/heap_stream.h \
	reporter/heap/heap_table.c reporter/heap/heap_table.h \
	reporter/heap/heap_texts.c reporter/heap/heap_texts.h \
	reporter/heap/heap_tops.c \
	reporter/heap/heap_tree.c reporter/heap/heap_tree.h \
	reporter/heap/heap_write.c reporter/heap/heap_write.h \
	reporter/heap/reach.c reporter/heap/reach.h \
	reporter/heap/retained.c reporter/heap/retained.h \
	reporter/html/html.c reporter/html/html.h \
	reporter/html/html_compare.c reporter/html/html_compare.h \
	reporter/html/html_difference.c reporter/html/html_difference.h \
	reporter/html/html_findings.c \
	reporter/html/html_model.c reporter/html/html_model.h \
	reporter/html/html_pack.c \
	reporter/html/html_heap.c \
	reporter/html/html_page.c reporter/html/html_page.h \
	reporter/html/html_parts.c reporter/html/html_parts.h \
	reporter/html/html_sources.c \
	reporter/html/html_sums.c reporter/html/html_sums.h \
	reporter/html/html_time.c \
	reporter/html/html_tree.c reporter/html/html_tree.h \
	reporter/html/page.h \
	reporter/import/import_formats.h \
	reporter/import/import_heaptrack.c \
	reporter/import/heaptrack_events.c reporter/import/heaptrack_events.h \
	reporter/import/import.c reporter/import/import.h \
	reporter/import/import_legacy.c \
	reporter/import/maker.c reporter/import/maker.h \
	reporter/import/import_pprof.c \
	reporter/leaks/leaks.c reporter/leaks/leaks.h \
	reporter/leaks/leaks_output.c reporter/leaks/leaks_output.h \
	reporter/limits/bounds.c reporter/limits/bounds.h \
	reporter/limits/limits_file.c reporter/limits/limits_file.h \
	reporter/limits/suggest.c reporter/limits/suggest.h \
	reporter/limits/suppress.c reporter/limits/suppress.h \
	reporter/limits/suppress_file.c \
	reporter/limits/verdict.c reporter/limits/verdict.h \
	reporter/limits/verdict_output.c reporter/limits/verdict_output.h \
	reporter/import/text_lines.c reporter/import/text_lines.h \
	reporter/load/load.c reporter/load/load.h \
	reporter/merge/merge.c reporter/merge/merge.h \
	reporter/output/annotate.c reporter/output/annotate.h \
	reporter/output/annotate_table.c reporter/output/annotate_table.h \
	reporter/output/breakdown.c reporter/output/breakdown.h \
	reporter/output/chart.c \
	reporter/output/estimates.c reporter/output/estimates.h \
	reporter/output/flame.c reporter/output/flame.h \
	reporter/output/flame_svg.c \
	reporter/output/graph_dot.c reporter/output/graph_dot.h \
	reporter/output/head.c reporter/output/head.h \
	reporter/output/json_head.c reporter/output/json_head.h \
	reporter/output/json_table.c \
	reporter/output/plot.c reporter/output/plot.h \
	reporter/output/plot_svg.c \
	reporter/output/plot_write.c \
	reporter/output/print.h \
	reporter/output/print_graph.c \
	reporter/output/print_table.c \
	reporter/output/report.c reporter/output/report.h \
	reporter/output/said_part.c reporter/output/said_part.h \
	reporter/output/summary.c reporter/output/summary.h \
	reporter/output/table.c reporter/output/table.h \
	reporter/output/table_bins.c \
	reporter/output/table_direct.c \
	reporter/output/table_findings.c \
	reporter/output/table_functions.c \
	reporter/output/table_graph.c reporter/output/table_graph.h \
	reporter/output/table_leaks.c \
	reporter/output/table_overview.c \
	reporter/output/table_processes.c \
	reporter/output/table_lifetimes.c \
	reporter/output/table_sites.c \
	reporter/output/table_tree.c \
	reporter/output/table_types.c \
	reporter/output/tables.c reporter/output/tables.h \
	reporter/profile/held_memory.h \
	reporter/profile/outside.c reporter/profile/outside.h \
	reporter/profile/bins.c reporter/profile/bins.h \
	reporter/profile/cells.c reporter/profile/cells.h \
	reporter/profile/node_chain.c reporter/profile/node_chain.h \
	reporter/profile/charge.c reporter/profile/charge.h \
	reporter/profile/counts.c reporter/profile/counts.h \
	reporter/profile/lifetimes.c reporter/profile/lifetimes.h \
	reporter/profile/ending.c reporter/profile/ending.h \
	reporter/profile/estimate.c reporter/profile/estimate.h \
	reporter/profile/filter.c reporter/profile/filter.h \
	reporter/profile/identity.c reporter/profile/identity.h \
	reporter/profile/lisp_names.c reporter/profile/lisp_names.h \
	reporter/profile/missing.c reporter/profile/missing.h \
	reporter/profile/moment_names.c reporter/profile/moment_names.h \
	reporter/profile/process_part.c reporter/profile/process_part.h \
	reporter/profile/processes.c reporter/profile/processes.h \
	reporter/profile/profile.c reporter/profile/profile.h \
	reporter/profile/recursion.c reporter/profile/recursion.h \
	reporter/profile/samples.c reporter/profile/samples.h \
	reporter/profile/skip.c reporter/profile/skip.h \
	reporter/profile/sort.c reporter/profile/sort.h \
	reporter/profile/source_lines.c reporter/profile/source_lines.h \
	reporter/profile/source_paths.c reporter/profile/source_paths.h \
	reporter/profile/startup_frames.c reporter/profile/startup_frames.h \
	reporter/profile/bad_frees.c reporter/profile/bad_frees.h \
	reporter/profile/threads.c reporter/profile/threads.h \
	reporter/profile/timeline.c reporter/profile/timeline.h \
	reporter/profile/tree.c reporter/profile/tree.h \
	reporter/profile/view.c reporter/profile/view.h \
	reporter/profile/window.c reporter/profile/window.h \
	reporter/profile/wrappers.c reporter/profile/wrappers.h \
	reporter/read/file_blocks.c reporter/read/file_blocks.h \
	reporter/read/figures_check.c reporter/read/figures_check.h \
	reporter/read/codec.c reporter/read/codec.h \
	reporter/read/input.c reporter/read/input.h \
	reporter/read/live_bins.c \
	reporter/read/live_cells.c \
	reporter/profile/collections.h \
	reporter/read/live_frames.c \
	reporter/read/live_image.c reporter/read/live_image.h \
	reporter/read/live_marks.c \
	reporter/read/live_parts.h \
	reporter/read/read_bad_frees.c \
	reporter/read/live_time.c \
	reporter/read/live_tree.c \
	reporter/read/observed.c reporter/read/observed.h \
	reporter/read/reader.c reporter/read/reader.h \
	reporter/read/reader_live.c \
	reporter/read/reader_sealed.c \
	reporter/read/seal.c reporter/read/seal.h \
	reporter/read/sealed_counters.c \
	reporter/read/sealed.c \
	reporter/read/sealed_parts.h \
	reporter/read/sealed_processes.c \
	reporter/read/sealed_runtime.c \
	reporter/read/sealed_symbols.c \
	reporter/read/sealed_time.c \
	reporter/read/sealed_tree.c \
	reporter/read/live_writer.c reporter/read/live_writer.h \
	reporter/run/data_file.c reporter/run/data_file.h \
	reporter/run/harvest.c reporter/run/harvest.h \
	reporter/run/launch.c reporter/run/launch.h \
	reporter/run/live_sample.c reporter/run/live_sample.h \
	reporter/run/observe.c reporter/run/observe.h \
	reporter/run/installed.c reporter/run/installed.h \
	reporter/run/preload.c reporter/run/preload.h \
	reporter/run/process.c reporter/run/process.h \
	reporter/run/preloadable.c reporter/run/preloadable.h \
	reporter/run/listener.c reporter/run/listener.h \
	reporter/run/run_files.c reporter/run/run_files.h \
	reporter/run/heap_request.c reporter/run/heap_request.h \
	reporter/run/observations.c reporter/run/observations.h \
	reporter/run/since.c reporter/run/since.h \
	reporter/run/snapshot.c reporter/run/snapshot.h \
	reporter/screen/keys.c reporter/screen/keys.h \
	reporter/screen/lines.c reporter/screen/lines.h \
	reporter/screen/screen_sample.c reporter/screen/screen_sample.h \
	reporter/screen/picture.c reporter/screen/picture.h \
	reporter/screen/terminal.c reporter/screen/terminal.h \
	reporter/screen/screen_session.c reporter/screen/screen_session.h \
	reporter/serve/address.c \
	reporter/serve/answer.c reporter/serve/answer.h \
	reporter/serve/question.c reporter/serve/question.h \
	reporter/serve/server.c reporter/serve/server.h \
	reporter/serve/subjects.c reporter/serve/subjects.h \
	reporter/serve/worker.c reporter/serve/worker.h \
	reporter/symbols/answers.c reporter/symbols/answers.h \
	reporter/symbols/better_names.c reporter/symbols/better_names.h \
	reporter/symbols/binary.c reporter/symbols/binary.h \
	reporter/symbols/budget.c reporter/symbols/budget.h \
	reporter/symbols/cache.c reporter/symbols/cache.h \
	reporter/symbols/code_file.c reporter/symbols/code_file.h \
	reporter/symbols/collected.c reporter/symbols/collected.h \
	reporter/symbols/debugdata.c reporter/symbols/debugdata.h \
	reporter/symbols/demangle.c reporter/symbols/demangle.h \
	reporter/symbols/die.c reporter/symbols/die.h \
	reporter/symbols/dwarf_check.c reporter/symbols/dwarf_check.h \
	reporter/symbols/dwarf_package.c reporter/symbols/dwarf_package.h \
	reporter/symbols/dwarf_units.c reporter/symbols/dwarf_units.h \
	reporter/symbols/elf_open.c reporter/symbols/elf_open.h \
	reporter/symbols/elf_symbols.c reporter/symbols/elf_symbols.h \
	reporter/symbols/infer.c reporter/symbols/infer.h \
	reporter/symbols/infer_places.c reporter/symbols/infer_places.h \
	reporter/symbols/infer_types.c reporter/symbols/infer_types.h \
	reporter/symbols/inlined_copies.c reporter/symbols/inlined_copies.h \
	reporter/symbols/instruction.h reporter/symbols/instruction_x86_64.c \
	reporter/symbols/lisp_operations.c reporter/symbols/lisp_operations.def reporter/symbols/lisp_operations.h \
	reporter/symbols/lookup.c reporter/symbols/lookup.h \
	reporter/symbols/machine_code.c reporter/symbols/machine_code.h \
	reporter/symbols/private_copy.c reporter/symbols/private_copy.h \
	reporter/symbols/spans.c reporter/symbols/spans.h \
	reporter/symbols/symbol_files.c reporter/symbols/symbol_files.h \
	reporter/symbols/symbol_package.c reporter/symbols/symbol_package.h \
	reporter/symbols/symbols.c reporter/symbols/symbols.h \
	reporter/symbols/tail_calls.c reporter/symbols/tail_calls.h \
	reporter/symbols/texts.c reporter/symbols/texts.h \
	reporter/symbols/types.c reporter/symbols/types.h \
	reporter/symbols/variables.c reporter/symbols/variables.h \
	reporter/unite/match.c reporter/unite/match.h \
	reporter/unite/tolerant.c \
	reporter/unite/unite.c reporter/unite/unite.h \
	reporter/unite/unite_order.c \
	reporter/unite/unite_tree.c \
	runtime/system/elf_file.c runtime/system/elf_file.h
if HAVE_SQLITE
libreporter_la_SOURCES += \
	reporter/export/sqlite.c \
	reporter/export/sqlite_db.c reporter/export/sqlite_db.h
else
libreporter_la_SOURCES += reporter/export/sqlite_absent.c
endif
# The directories in which the installed command finds libmprof.so and mprof-http.
REPORTER_DEFINES = $(LIBDW_CFLAGS) $(NCURSESW_CFLAGS) $(ZSTD_CFLAGS) $(SQLITE_CFLAGS) $(MICROHTTPD_CFLAGS) \
	-DMP_BINDIR='"$(bindir)"' -DMP_LIBDIR='"$(libdir)"' \
	-DMP_LIBEXECDIR='"$(libexecdir)/mprof"'
libreporter_la_CPPFLAGS = $(AM_CPPFLAGS) $(REPORTER_DEFINES)
libreporter_la_CFLAGS = $(AM_CFLAGS) $(FRAME_CFLAGS) $(HARDENING_CFLAGS) $(SAN_CFLAGS) -fvisibility=hidden -shared

REPORTER_LIBS = libreporter.la $(LIBDW_LIBS) $(LIBELF_LIBS) $(IBERTY_LIBS) $(ZLIB_LIBS) $(LZMA_LIBS) $(ZSTD_LIBS) $(SQLITE_LIBS) $(NCURSESW_LIBS) -lm
bin_PROGRAMS += mprof
mprof_SOURCES = reporter/main.c
PROGRAM_HARDENING = $(HARDENING_CFLAGS) $(HARDENING_PROGRAM_CFLAGS)
mprof_CFLAGS = $(AM_CFLAGS) $(FRAME_CFLAGS) $(PROGRAM_HARDENING) $(SAN_CFLAGS)
mprof_LDFLAGS = $(HARDENING_LDFLAGS)
mprof_LDADD = $(REPORTER_LIBS)

# mprof executes this program for the commands that use HTTP, so that the other commands do not load its libraries.
mplibexecdir = $(libexecdir)/mprof
mplibexec_PROGRAMS = mprof-http
mprof_http_SOURCES = reporter/main_http.c
mprof_http_CFLAGS = $(AM_CFLAGS) $(FRAME_CFLAGS) $(PROGRAM_HARDENING) $(SAN_CFLAGS)
mprof_http_LDFLAGS = $(HARDENING_LDFLAGS)
mprof_http_LDADD = $(REPORTER_LIBS) $(MICROHTTPD_LIBS)

# The page of mprof html: its style sheets, and its scripts in the order in which they run; shell.js is the last.
PAGE = $(srcdir)/reporter/html/page
PAGE_PARTS = \
	$(PAGE)/page.html \
	$(PAGE)/early.js \
	$(PAGE)/page.css \
	$(PAGE)/overview.css \
	$(PAGE)/changes.css \
	$(PAGE)/flame.css \
	$(PAGE)/views.css \
	$(PAGE)/core.js \
	$(PAGE)/format.js \
	$(PAGE)/model.js \
	$(PAGE)/threads.js \
	$(PAGE)/url.js \
	$(PAGE)/keys.js \
	$(PAGE)/overview.js \
	$(PAGE)/changes.js \
	$(PAGE)/flame_tree.js \
	$(PAGE)/flame_paint.js \
	$(PAGE)/flame_canvas.js \
	$(PAGE)/flame_lines.js \
	$(PAGE)/flame_details.js \
	$(PAGE)/flame_tools.js \
	$(PAGE)/flame.js \
	$(PAGE)/sums.js \
	$(PAGE)/graph.js \
	$(PAGE)/kinds.js \
	$(PAGE)/figures.js \
	$(PAGE)/grid.js \
	$(PAGE)/functions.js \
	$(PAGE)/lifetimes.js \
	$(PAGE)/sandwich.js \
	$(PAGE)/types.js \
	$(PAGE)/series.js \
	$(PAGE)/time_data.js \
	$(PAGE)/time_chart.js \
	$(PAGE)/series_view.js \
	$(PAGE)/time.js \
	$(PAGE)/heap_data.js \
	$(PAGE)/heap.js \
	$(PAGE)/source.js \
	$(PAGE)/shell.js
EXTRA_DIST += $(PAGE_PARTS) reporter/html/pack.sh
nodist_libreporter_la_SOURCES = reporter/html/page_data.c reporter/command/topics.c
CLEANFILES += reporter/html/page_data.c reporter/command/topics.c
reporter/html/page_data.c: $(PAGE_PARTS) reporter/html/pack.sh
	$(AM_V_GEN)$(MKDIR_P) reporter/html && \
		$(SHELL) $(srcdir)/reporter/html/pack.sh $@ $(PAGE_PARTS)

# The manual's pages, which mprof help TOPIC prints, in the order of their list.
TOPICS = \
	$(srcdir)/doc/tour.md \
	$(srcdir)/doc/views.md \
	$(srcdir)/doc/programs.md \
	$(srcdir)/doc/lisp.md \
	$(srcdir)/doc/retained.md \
	$(srcdir)/doc/ci.md \
	$(srcdir)/doc/cost.md \
	$(srcdir)/doc/tools.md \
	$(srcdir)/doc/how.md \
	$(srcdir)/doc/limits.md \
	$(srcdir)/doc/building.md
EXTRA_DIST += $(TOPICS) doc/pack.sh
reporter/command/topics.c: $(TOPICS) doc/pack.sh
	$(AM_V_GEN)$(MKDIR_P) reporter/command && \
		$(SHELL) $(srcdir)/doc/pack.sh $@ $(TOPICS)
