# SPDX-License-Identifier: MIT
# The mprof command. Everything except main is in a library, which unit tests and the shared objects for Lisp link too.
# With -shared, libtool compiles each file only once, for shared objects.
noinst_LTLIBRARIES += libreporter.la
libreporter_la_SOURCES = \
	reporter/api_heap.c \
	reporter/api_sites.c \
	reporter/api_text.c reporter/api.h \
	reporter/base/arena.c reporter/base/arena.h \
	reporter/base/buffer.c reporter/base/buffer.h \
	reporter/base/child_index.c reporter/base/child_index.h \
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
	reporter/base/label.c reporter/base/label.h \
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
	reporter/command/cmd_findings.c \
	reporter/command/cmd_flamegraph.c \
	reporter/command/cmd_heap.c \
	reporter/command/cmd_html.c \
	reporter/command/cmd_http.c \
	reporter/command/cmd_leaks.c \
	reporter/command/cmd_merge.c \
	reporter/command/cmd_plot.c \
	reporter/command/cmd_replay.c \
	reporter/command/cmd_report.c \
	reporter/command/cmd_run.c \
	reporter/command/cmd_seal.c \
	reporter/command/cmd_serve.c reporter/command/http_commands.h \
	reporter/command/cmd_top.c \
	reporter/command/cmd_totals.c \
	reporter/command/cmd_watch.c \
	reporter/command/command.c reporter/command/command.h \
	reporter/command/command_main.c reporter/command/command_main.h \
	reporter/command/input_files.c reporter/command/input_files.h \
	reporter/command/interrupt.c reporter/command/interrupt.h \
	reporter/command/limit_options.c reporter/command/limit_options.h \
	reporter/command/option_table.c reporter/command/option_table.h \
	reporter/command/output_file.c reporter/command/output_file.h \
	reporter/command/topics.h \
	reporter/command/view_options.c reporter/command/view_options.h \
	reporter/diff/changes.c reporter/diff/changes.h \
	reporter/diff/compare.c reporter/diff/compare.h \
	reporter/diff/difference.c \
	reporter/diff/sentences.c reporter/diff/sentences.h \
	reporter/diff/table_changes.c reporter/diff/table_changes.h \
	reporter/draw/flame.c reporter/draw/flame.h \
	reporter/draw/flame_svg.c \
	reporter/draw/graph_dot.c reporter/draw/graph_dot.h \
	reporter/draw/plot.c reporter/draw/plot.h \
	reporter/draw/plot_svg.c \
	reporter/draw/plot_text.c \
	reporter/draw/plot_write.c \
	reporter/export/callgrind.c \
	reporter/export/cell_blocks.c reporter/export/cell_blocks.h \
	reporter/export/dhat.c \
	reporter/export/dump.c \
	reporter/export/export.c reporter/export/export.h \
	reporter/export/export_formats.c reporter/export/export_formats.h \
	reporter/export/flat.c reporter/export/flat_columns.h \
	reporter/export/flat_schema.c \
	reporter/export/flat_rows.c reporter/export/flat_rows.h \
	reporter/export/heaptrack.c \
	reporter/export/massif.c \
	reporter/export/pprof.c \
	reporter/export/speedscope.c \
	reporter/file/archive.c reporter/file/archive.h \
	reporter/file/codec.c reporter/file/codec.h \
	reporter/file/data_file.c reporter/file/data_file.h \
	reporter/file/figures_check.c reporter/file/figures_check.h \
	reporter/file/file_blocks.c reporter/file/file_blocks.h \
	reporter/file/input.c reporter/file/input.h \
	reporter/file/live_bins.c \
	reporter/file/live_cells.c \
	reporter/file/live_frames.c \
	reporter/file/live_image.c reporter/file/live_image.h \
	reporter/file/live_marks.c \
	reporter/file/live_parts.h \
	reporter/file/live_time.c \
	reporter/file/live_tree.c \
	reporter/file/live_writer.c reporter/file/live_writer.h \
	reporter/file/observed.c reporter/file/observed.h \
	reporter/file/read_bad_frees.c \
	reporter/file/reader.c reporter/file/reader.h \
	reporter/file/reader_live.c \
	reporter/file/reader_sealed.c \
	reporter/file/seal.c reporter/file/seal.h \
	reporter/file/sealed.c \
	reporter/file/sealed_counters.c \
	reporter/file/sealed_parts.h \
	reporter/file/read_mappings.c \
	reporter/file/sealed_processes.c \
	reporter/file/sealed_runtime.c \
	reporter/file/sealed_symbols.c \
	reporter/file/sealed_time.c \
	reporter/file/sealed_tree.c \
	reporter/findings/facts.c reporter/findings/facts.h \
	reporter/findings/findings.c reporter/findings/findings.h \
	reporter/findings/lisp_calls.c reporter/findings/lisp_calls.h \
	reporter/findings/places.c reporter/findings/places.h \
	reporter/findings/rule_across.c \
	reporter/findings/rule_faulty.c \
	reporter/findings/rule_resident.c \
	reporter/findings/rule_grew.c \
	reporter/findings/rule_grows.c \
	reporter/findings/rule_held.c \
	reporter/findings/rule_kept.c \
	reporter/findings/rule_lost.c \
	reporter/findings/rule_phase.c \
	reporter/findings/rule_rounded.c \
	reporter/findings/rule_sparse.c \
	reporter/findings/rule_steps.c \
	reporter/findings/rule_contexts.c \
	reporter/findings/rule_tiny.c \
	reporter/findings/rules_ages.c \
	reporter/findings/rules_lisp.c \
	reporter/findings/rules_turnover.c reporter/findings/rule_spread.c reporter/findings/rule_peak.c reporter/findings/phrases.c reporter/findings/phrases.h \
	reporter/findings/series.c reporter/findings/series.h \
	reporter/graph/annotate.c reporter/graph/annotate.h \
	reporter/graph/bad_frees.c reporter/graph/bad_frees.h \
	reporter/graph/context_calls.c reporter/graph/context_calls.h \
	reporter/graph/bins.c reporter/graph/bins.h \
	reporter/graph/breakdown_kinds.c reporter/graph/breakdown_kinds.h \
	reporter/graph/charge.c reporter/graph/charge.h \
	reporter/graph/cycles.c reporter/graph/cycles.h \
	reporter/graph/graph.c reporter/graph/graph.h \
	reporter/graph/node_chain.c reporter/graph/node_chain.h \
	reporter/graph/reduce.c reporter/graph/reduce.h \
	reporter/graph/scc.c reporter/graph/scc.h \
	reporter/graph/sites.c reporter/graph/sites.h \
	reporter/graph/tree.c reporter/graph/tree.h \
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
	reporter/heap/heap_names.c reporter/heap/heap_names.h \
	reporter/heap/heap_plot.c reporter/heap/heap_plot.h \
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
	reporter/html/html_heap.c \
	reporter/html/html_model.c reporter/html/html_model.h \
	reporter/html/html_pack.c \
	reporter/html/html_page.c reporter/html/html_page.h \
	reporter/html/html_parts.c reporter/html/html_parts.h \
	reporter/html/html_sources.c \
	reporter/html/html_sums.c reporter/html/html_sums.h \
	reporter/html/html_time.c \
	reporter/html/html_tree.c reporter/html/html_tree.h \
	reporter/html/page.h \
	reporter/import/heaptrack_events.c reporter/import/heaptrack_events.h \
	reporter/import/import.c reporter/import/import.h \
	reporter/import/import_formats.h \
	reporter/import/import_heaptrack.c \
	reporter/import/import_legacy.c \
	reporter/import/import_pprof.c \
	reporter/import/maker.c reporter/import/maker.h \
	reporter/import/text_lines.c reporter/import/text_lines.h \
	reporter/process/heap_request.c reporter/process/heap_request.h \
	reporter/process/resident_sample.c reporter/process/resident_sample.h \
	reporter/process/live_sample.c reporter/process/live_sample.h \
	reporter/process/observations.c reporter/process/observations.h \
	reporter/process/observe.c reporter/process/observe.h \
	reporter/process/process.c reporter/process/process.h \
	reporter/process/since.c reporter/process/since.h \
	reporter/process/snapshot.c reporter/process/snapshot.h \
	reporter/profile/cells.c reporter/profile/cells.h \
	reporter/profile/collections.h \
	reporter/profile/counts.c reporter/profile/counts.h \
	reporter/profile/ending.c reporter/profile/ending.h \
	reporter/profile/estimate.c reporter/profile/estimate.h \
	reporter/profile/held_memory.h \
	reporter/profile/identity.c reporter/profile/identity.h \
	reporter/profile/lifetimes.c reporter/profile/lifetimes.h \
	reporter/profile/missing.c reporter/profile/missing.h \
	reporter/profile/outside.c reporter/profile/outside.h \
	reporter/profile/resident.c reporter/profile/resident.h \
	reporter/profile/mapped_memory.c reporter/profile/mapped_memory.h \
	reporter/profile/processes.c reporter/profile/processes.h \
	reporter/profile/profile.c reporter/profile/profile.h \
	reporter/profile/samples.c reporter/profile/samples.h \
	reporter/profile/timeline.c reporter/profile/timeline.h \
	reporter/replay/learn.c \
	reporter/replay/log.h reporter/replay/log_read.c \
	reporter/replay/log_objects.c reporter/replay/log_objects.h \
	reporter/replay/log_seal.c reporter/replay/log_seal.h \
	reporter/replay/replay.c reporter/replay/replay.h \
	reporter/replay/replay_json.c \
	reporter/replay/simulate.c reporter/replay/simulate.h \
	reporter/replay/simulated_heap.c reporter/replay/simulated_heap.h \
	reporter/replay/trials.c reporter/replay/trials.h \
	reporter/run/children.c reporter/run/children.h \
	reporter/run/container.c reporter/run/container.h \
	reporter/run/early.c reporter/run/early.h \
	reporter/run/harvest.c reporter/run/harvest.h \
	reporter/run/installed.c reporter/run/installed.h \
	reporter/run/launch.c reporter/run/launch.h \
	reporter/run/listener.c reporter/run/listener.h \
	reporter/run/mounts.c reporter/run/mounts.h \
	reporter/run/preload.c reporter/run/preload.h \
	reporter/run/preloadable.c reporter/run/preloadable.h \
	reporter/run/run_files.c reporter/run/run_files.h \
	reporter/run/spares.c reporter/run/spares.h \
	reporter/screen/keys.c reporter/screen/keys.h \
	reporter/screen/lines.c reporter/screen/lines.h \
	reporter/screen/picture.c reporter/screen/picture.h \
	reporter/screen/screen_sample.c reporter/screen/screen_sample.h \
	reporter/screen/screen_session.c reporter/screen/screen_session.h \
	reporter/screen/terminal.c reporter/screen/terminal.h \
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
	reporter/symbols/load.c reporter/symbols/load.h \
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
	reporter/table/annotate_table.c reporter/table/annotate_table.h \
	reporter/table/breakdown.c reporter/table/breakdown.h \
	reporter/table/chart.c reporter/table/chart.h \
	reporter/table/estimates.c reporter/table/estimates.h \
	reporter/table/head.c reporter/table/head.h \
	reporter/table/json_head.c reporter/table/json_head.h \
	reporter/table/json_table.c \
	reporter/table/print.h \
	reporter/table/print_graph.c \
	reporter/table/print_table.c \
	reporter/table/report.c reporter/table/report.h \
	reporter/table/said_part.c reporter/table/said_part.h \
	reporter/table/summary.c reporter/table/summary.h \
	reporter/table/table.c reporter/table/table.h \
	reporter/table/table_bins.c \
	reporter/table/table_direct.c \
	reporter/table/table_findings.c \
	reporter/table/table_functions.c \
	reporter/table/table_graph.c reporter/table/table_graph.h \
	reporter/table/table_leaks.c \
	reporter/table/table_lifetimes.c \
	reporter/table/table_overview.c \
	reporter/table/table_resident.c \
	reporter/table/table_mappings.c \
	reporter/table/table_processes.c \
	reporter/table/table_sites.c \
	reporter/table/table_tree.c \
	reporter/table/table_types.c \
	reporter/table/tables.c reporter/table/tables.h \
	reporter/unite/join.c reporter/unite/join.h \
	reporter/unite/match.c reporter/unite/match.h \
	reporter/unite/merge.c reporter/unite/merge.h \
	reporter/unite/several.c reporter/unite/several.h \
	reporter/unite/tolerant.c \
	reporter/unite/unite.c reporter/unite/unite.h \
	reporter/unite/unite_order.c \
	reporter/unite/unite_tree.c \
	reporter/verdict/bounds.c reporter/verdict/bounds.h \
	reporter/verdict/leaks.c reporter/verdict/leaks.h \
	reporter/verdict/leaks_output.c reporter/verdict/leaks_output.h \
	reporter/verdict/lost.c reporter/verdict/lost.h \
	reporter/verdict/limits_file.c reporter/verdict/limits_file.h \
	reporter/verdict/suggest.c reporter/verdict/suggest.h \
	reporter/verdict/suppress.c reporter/verdict/suppress.h \
	reporter/verdict/suppress_file.c \
	reporter/verdict/verdict.c reporter/verdict/verdict.h \
	reporter/verdict/verdict_output.c reporter/verdict/verdict_output.h \
	reporter/view/filter.c reporter/view/filter.h \
	reporter/view/lisp_names.c reporter/view/lisp_names.h \
	reporter/view/moment_names.c reporter/view/moment_names.h \
	reporter/view/process_part.c reporter/view/process_part.h \
	reporter/view/recursion.c reporter/view/recursion.h \
	reporter/view/skip.c reporter/view/skip.h \
	reporter/view/sort.c reporter/view/sort.h \
	reporter/view/source_lines.c reporter/view/source_lines.h \
	reporter/view/source_paths.c reporter/view/source_paths.h \
	reporter/view/startup_frames.c reporter/view/startup_frames.h \
	reporter/view/threads.c reporter/view/threads.h \
	reporter/view/view.c reporter/view/view.h \
	reporter/view/window.c reporter/view/window.h \
	reporter/view/wrappers.c reporter/view/wrappers.h \
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
	-DMP_BINDIR='"$(bindir)"' -DMP_PKGLIBDIR='"$(pkglibdir)"' \
	-DMP_LIBEXECDIR='"$(libexecdir)/mprof"'
libreporter_la_CPPFLAGS = $(AM_CPPFLAGS) $(REPORTER_DEFINES)
libreporter_la_CFLAGS = $(AM_CFLAGS) $(FRAME_CFLAGS) $(HARDENING_CFLAGS) $(SAN_CFLAGS) -fvisibility=hidden -shared

REPORTER_LIBS = libreporter.la $(LIBDW_LIBS) $(LIBELF_LIBS) $(IBERTY_LIBS) $(ZLIB_LIBS) $(LZMA_LIBS) $(ZSTD_LIBS) $(NCURSESW_LIBS) -lm
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
	$(PAGE)/skip.js \
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
	$(PAGE)/ways.js \
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
TOPICS = $(DOC_PAGES:%=$(srcdir)/%)
EXTRA_DIST += doc/pack.sh
reporter/command/topics.c: $(TOPICS) doc/pack.sh
	$(AM_V_GEN)$(MKDIR_P) reporter/command && \
		$(SHELL) $(srcdir)/doc/pack.sh $@ $(TOPICS)
