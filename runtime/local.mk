# The monitor: a convenience library that each bridge links whole.
noinst_LTLIBRARIES += libmonitor.la
libmonitor_la_SOURCES = runtime/format.h runtime/sizeclass.h
libmonitor_la_CFLAGS = $(AM_CFLAGS)
