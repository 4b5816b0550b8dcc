# End-to-end tests are shell scripts, which print TAP with tap.sh.
EXTRA_DIST += tests/e2e/tap.sh
dist_check_SCRIPTS += tests/e2e/command_line.sh tests/e2e/manuals.sh
TESTS += tests/e2e/command_line.sh tests/e2e/manuals.sh

# Tests that profile programs share lib.sh.
EXTRA_DIST += \
	tests/e2e/README.md \
	tests/e2e/bombs.py \
	tests/e2e/command_line.txt \
	tests/e2e/callgrind.py \
	tests/e2e/chains_lib.sh \
	tests/e2e/ci_steps.py \
	tests/e2e/control_lib.sh \
	tests/e2e/diff_json.py \
	tests/e2e/ecl_heap_document.py \
	tests/e2e/ecl_heap_graph.py \
	tests/e2e/ecl_lib.sh \
	tests/e2e/emacs.el \
	tests/e2e/emacs_lib.el \
	tests/e2e/emacs_repl.el \
	tests/e2e/events_lib.sh \
	tests/e2e/export_books.py \
	tests/e2e/flamegraph.py \
	tests/e2e/heap_containers.py \
	tests/e2e/heap_file.py \
	tests/e2e/heap_odd.py \
	tests/e2e/heap_packed.py \
	tests/e2e/heap_read.py \
	tests/e2e/heap_reference.py \
	tests/e2e/json_check.py \
	tests/e2e/leaks_ends.sh \
	tests/e2e/leaks_lib.sh \
	tests/e2e/oracle_lib.sh \
	tests/e2e/lib.sh \
	tests/e2e/lisp_lib.sh \
	tests/e2e/log_lib.sh \
	tests/e2e/make_pprof.py \
	tests/e2e/manual_links.py \
	tests/e2e/merge_copies.py \
	tests/e2e/replay_lib.sh \
	tests/e2e/same_lib.sh \
	tests/e2e/serve_hostile.py \
	tests/e2e/speedscope.js \
	tests/e2e/tables.py \
	tests/e2e/tables_data.py \
	tests/e2e/tables_graph.py \
	tests/e2e/utf8.py

# The ASDF system mprof/tests, which tests/e2e/lisp.sh runs.
EXTRA_DIST += \
	tests/lisp/package.lisp \
	tests/lisp/figures.lisp \
	tests/lisp/recording.lisp \
	tests/lisp/reports.lisp \
	tests/lisp/arguments.lisp \
	tests/lisp/debugger.lisp \
	tests/lisp/deep.lisp \
	tests/lisp/forms.lisp \
	tests/lisp/budget.lisp \
	tests/lisp/why.lisp \
	tests/lisp/census.lisp \
	tests/lisp/threads.lisp \
	tests/lisp/lines/kinds.lisp \
	tests/lisp/lines/nested.lisp \
	tests/lisp/lines/readtables.lisp \
	tests/lisp/lines/support.lisp \
	tests/lisp/parts.lisp \
	tests/lisp/methods.lisp \
	tests/lisp/printing.lisp
# The end-to-end tests that make check runs.
E2E_TESTS = \
	tests/e2e/allocator_abuse.sh \
	tests/e2e/annotate.sh \
	tests/e2e/arguments.sh \
	tests/e2e/api.sh \
	tests/e2e/beyond.sh \
	tests/e2e/bootstrap.sh \
	tests/e2e/bootstrap_demo.sh \
	tests/e2e/chains.sh \
	tests/e2e/check.sh \
	tests/e2e/check_files.sh \
	tests/e2e/check_incomplete.sh \
	tests/e2e/checkpoint_asked.sh \
	tests/e2e/checkpoints.sh \
	tests/e2e/children.sh \
	tests/e2e/children_file.sh \
	tests/e2e/ci.sh \
	tests/e2e/ci_jobs.sh \
	tests/e2e/code_generated.sh \
	tests/e2e/code_without_tables.sh \
	tests/e2e/completion.sh \
	tests/e2e/control.sh \
	tests/e2e/containers.sh \
	tests/e2e/cycles.sh \
	tests/e2e/cycles_inside.sh \
	tests/e2e/damaged.sh \
	tests/e2e/deepbind.sh \
	tests/e2e/diff.sh \
	tests/e2e/diff_names.sh \
	tests/e2e/dumps.sh \
	tests/e2e/ecl_checkpoints.sh \
	tests/e2e/ecl_counts.sh \
	tests/e2e/ecl_dead.sh \
	tests/e2e/ecl_denied.sh \
	tests/e2e/ecl_diff.sh \
	tests/e2e/ecl_dispatch.sh \
	tests/e2e/ecl_embed.sh \
	tests/e2e/ecl_causes.sh \
	tests/e2e/ecl_findings.sh \
	tests/e2e/ecl_first.sh \
	tests/e2e/ecl_harmless.sh \
	tests/e2e/ecl_heap.sh \
	tests/e2e/ecl_heap_example.sh \
	tests/e2e/ecl_heap_growth.sh \
	tests/e2e/ecl_heap_named.sh \
	tests/e2e/ecl_heap_odd.sh \
	tests/e2e/ecl_heap_series.sh \
	tests/e2e/ecl_heap_shown.sh \
	tests/e2e/ecl_heap_sites.sh \
	tests/e2e/ecl_why.sh \
	tests/e2e/ecl_inlined.sh \
	tests/e2e/ecl_kept.sh \
	tests/e2e/ecl_any.sh \
	tests/e2e/ecl_live.sh \
	tests/e2e/ecl_names.sh \
	tests/e2e/ecl_odd_names.sh \
	tests/e2e/ecl_operations.sh \
	tests/e2e/ecl_recursion.sh \
	tests/e2e/ecl_repl.sh \
	tests/e2e/ecl_same_names.sh \
	tests/e2e/ecl_sampled.sh \
	tests/e2e/ecl_short_lived.sh \
	tests/e2e/ecl_twins.sh \
	tests/e2e/ecl_merge.sh \
	tests/e2e/ecl_types.sh \
	tests/e2e/ecl_unknown.sh \
	tests/e2e/endless.sh \
	tests/e2e/export.sh \
	tests/e2e/export_flat.sh \
	tests/e2e/export_speedscope.sh \
	tests/e2e/export_sqlite.sh \
	tests/e2e/export_sqlite_ends.sh \
	tests/e2e/export_pprof.sh \
	tests/e2e/export_heaptrack.sh \
	tests/e2e/export_valgrind.sh \
	tests/e2e/family.sh \
	tests/e2e/expect.sh \
	tests/e2e/faults.sh \
	tests/e2e/filters.sh \
	tests/e2e/findings.sh \
	tests/e2e/first_screen.sh \
	tests/e2e/findings_table.sh \
	tests/e2e/first_call.sh \
	tests/e2e/flamegraph.sh \
	tests/e2e/fold.sh \
	tests/e2e/foreign_names.sh \
	tests/e2e/full_disk.sh \
	tests/e2e/golden.sh \
	tests/e2e/import_heaptrack.sh \
	tests/e2e/harmless.sh \
	tests/e2e/hostile.sh \
	tests/e2e/heap.sh \
	tests/e2e/heap_sizes.sh \
	tests/e2e/heap_types.sh \
	tests/e2e/heap_variables.sh \
	tests/e2e/html.sh \
	tests/e2e/import.sh \
	tests/e2e/bad_frees.sh \
	tests/e2e/sanitizers.sh \
	tests/e2e/seized.sh \
	tests/e2e/sentinel.sh \
	tests/e2e/json.sh \
	tests/e2e/kill.sh \
	tests/e2e/labels.sh \
	tests/e2e/late.sh \
	tests/e2e/lifetimes.sh \
	tests/e2e/heap_c.sh \
	tests/e2e/heap_c_series.sh \
	tests/e2e/held.sh \
	tests/e2e/leaks.sh \
	tests/e2e/made_names.sh \
	tests/e2e/manual_examples.sh \
	tests/e2e/manual_html.sh \
	tests/e2e/mappings.sh \
	tests/e2e/leaks_allocators.sh \
	tests/e2e/leaks_collected.sh \
	tests/e2e/leaks_threads.sh \
	tests/e2e/limits.sh \
	tests/e2e/link.sh \
	tests/e2e/lisp.sh \
	tests/e2e/lisp_deep.sh \
	tests/e2e/lisp_end.sh \
	tests/e2e/lisp_full.sh \
	tests/e2e/lisp_lines.sh \
	tests/e2e/lisp_temporary.sh \
	tests/e2e/live.sh \
	tests/e2e/loader.sh \
	tests/e2e/names.sh \
	tests/e2e/nested.sh \
	tests/e2e/no_proc.sh \
	tests/e2e/object_memory.sh \
	tests/e2e/objects.sh \
	tests/e2e/late_names.sh \
	tests/e2e/odd_functions.sh \
	tests/e2e/only.sh \
	tests/e2e/operator_new.sh \
	tests/e2e/old_recordings.sh \
	tests/e2e/options.sh \
	tests/e2e/options_used.sh \
	tests/e2e/oracle.sh \
	tests/e2e/output_mode.sh \
	tests/e2e/peak.sh \
	tests/e2e/pools.sh \
	tests/e2e/resident.sh \
	tests/e2e/process_ends.sh \
	tests/e2e/process_killed.sh \
	tests/e2e/programs_shell.sh \
	tests/e2e/recordings.sh \
	tests/e2e/readme.sh \
	tests/e2e/release.sh \
	tests/e2e/reload.sh \
	tests/e2e/root_asks.sh \
	tests/e2e/root_namespace.sh \
	tests/e2e/root_run.sh \
	tests/e2e/run_status.sh \
	tests/e2e/sampling.sh \
	tests/e2e/seal_sizes.sh \
	tests/e2e/seccomp_programs.sh \
	tests/e2e/serve.sh \
	tests/e2e/serve_limits.sh \
	tests/e2e/signals.sh \
	tests/e2e/size_classes.sh \
	tests/e2e/skip.sh \
	tests/e2e/small_stack.sh \
	tests/e2e/snapshots_noted.sh \
	tests/e2e/sorted.sh \
	tests/e2e/sources.sh \
	tests/e2e/startup_code.sh \
	tests/e2e/symbols_cache.sh \
	tests/e2e/symbols_files.sh \
	tests/e2e/code_files.sh \
	tests/e2e/tables.sh \
	tests/e2e/tail_calls.sh \
	tests/e2e/tap_helpers.sh \
	tests/e2e/temporary.sh \
	tests/e2e/terminal.sh \
	tests/e2e/threads.sh \
	tests/e2e/mode_costs.sh \
	tests/e2e/moved.sh \
	tests/e2e/truncated.sh \
	tests/e2e/wrapped.sh \
	tests/e2e/windows.sh \
	tests/e2e/timeline.sh \
	tests/e2e/together.sh \
	tests/e2e/top.sh \
	tests/e2e/types.sh \
	tests/e2e/unrecorded.sh
dist_check_SCRIPTS += $(E2E_TESTS)
TESTS += $(E2E_TESTS)

# make soak: larger programs, servers and languages, and some events in larger numbers.
# ./bootstrap soak installs the programs first; tests of missing programs are skipped.
SOAK_TESTS = \
	tests/e2e/soak_desktop.sh \
	tests/e2e/soak_languages.sh \
	tests/e2e/soak_leaks.sh \
	tests/e2e/soak_servers.sh
dist_check_SCRIPTS += $(SOAK_TESTS)

SOAK_EVENTS = \
	tests/e2e/allocator_abuse.sh \
	tests/e2e/process_killed.sh \
	tests/e2e/seccomp_programs.sh

.PHONY: soak
soak: all
	@KILLS=500 STRIDE=1 STORM=100000 BLOCKS=10000000 \
		$(MAKE) check TEST_LIMIT=6h TESTS='$(SOAK_TESTS) $(SOAK_EVENTS)'

# make scale: a million contexts, ten million blocks; 300 MB of disk, 500 MB of memory.
.PHONY: scale
scale: all
	@CONTEXTS=1000000 LIVE=10000000 PASSED=10000000 $(MAKE) check TEST_LIMIT=6h TESTS=tests/e2e/scale.sh
# SPDX-License-Identifier: MIT
