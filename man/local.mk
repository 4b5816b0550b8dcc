dist_man_MANS += \
	man/mprof-report.1 \
	man/mprof-run.1 \
	man/mprof.1 \
	man/mprof.3
