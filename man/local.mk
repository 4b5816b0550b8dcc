dist_man_MANS += \
	man/mprof-annotate.1 \
	man/mprof-check.1 \
	man/mprof-data.5 \
	man/mprof-diff.1 \
	man/mprof-dump.1 \
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
	man/mprof-push.1 \
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
# One page for four commands.
install-data-hook: link-man
uninstall-hook: unlink-man
.PHONY: link-man unlink-man
link-man:
	cd "$(DESTDIR)$(man1dir)" && $(LN_S) -f mprof-snapshot.1 mprof-stop.1 && \
		$(LN_S) -f mprof-snapshot.1 mprof-start.1 && \
		$(LN_S) -f mprof-snapshot.1 mprof-checkpoint.1
unlink-man:
	rm -f "$(DESTDIR)$(man1dir)/mprof-stop.1" "$(DESTDIR)$(man1dir)/mprof-start.1" \
		"$(DESTDIR)$(man1dir)/mprof-checkpoint.1"
