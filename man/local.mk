dist_man_MANS += man/mprof-data.5
