# SPDX-License-Identifier: MIT
dist_man_MANS += \
	man/mprof-annotate.1 \
	man/mprof-check.1 \
	man/mprof-data.5 \
	man/mprof-diff.1 \
	man/mprof-export.1 \
	man/mprof-findings.1 \
	man/mprof-leaks.1 \
	man/mprof-flamegraph.1 \
	man/mprof-heap.1 \
	man/mprof-heap-data.5 \
	man/mprof-heap-lisp.7 \
	man/mprof-html.1 \
	man/mprof-import.7 \
	man/mprof-json.5 \
	man/mprof-lisp.7 \
	man/mprof-merge.1 \
	man/mprof-names.7 \
	man/mprof-plot.1 \
	man/mprof-replay.1 \
	man/mprof-report.1 \
	man/mprof-run.1 \
	man/mprof-seal.1 \
	man/mprof-serve.1 \
	man/mprof-snapshot.1 \
	man/mprof-sql.7 \
	man/mprof-tables.7 \
	man/mprof-top.1 \
	man/mprof-totals.1 \
	man/mprof-watch.1 \
	man/mprof.1 \
	man/mprof.3
# One page describes four commands, and one all functions.
man1_commands = stop start checkpoint
man3_functions = mprof_stop mprof_restart set_mprof_autosave mprof_is_active \
	mprof_current mprof_peak mprof_total mprof_current_blocks \
	mprof_total_blocks mprof_thread_total mprof_thread_total_blocks mprof_reset_peak \
	mprof_print_status mprof_set_callback mprof_stack_clear mprof_stack_usage \
	mprof_checkpoint mprof_heap_snapshot \
	mprof_record_alloc mprof_record_alloc_array mprof_record_free
links += link-man
unlinks += unlink-man
link-man:
	cd "$(DESTDIR)$(man1dir)" && for name in $(man1_commands); do \
		$(LN_S) -f mprof-snapshot.1 mprof-$$name.1 || exit 1; done
	cd "$(DESTDIR)$(man3dir)" && for name in $(man3_functions); do \
		$(LN_S) -f mprof.3 $$name.3 || exit 1; done
unlink-man:
	for name in $(man1_commands); do rm -f "$(DESTDIR)$(man1dir)/mprof-$$name.1"; done
	for name in $(man3_functions); do rm -f "$(DESTDIR)$(man3dir)/$$name.3"; done
