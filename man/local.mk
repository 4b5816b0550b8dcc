dist_man_MANS += \
	man/mprof-data.5 \
	man/mprof-lisp.7 \
	man/mprof-report.1 \
	man/mprof-run.1 \
	man/mprof.1 \
	man/mprof.3
