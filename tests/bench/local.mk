# make bench [BENCH="example deep"] [PAIRS=7] [HEAPTRACK=no]
EXTRA_PROGRAMS = tests/bench/measure
tests_bench_measure_SOURCES = tests/bench/measure.c
tests_bench_measure_CFLAGS = $(AM_CFLAGS)
EXTRA_DIST += \
	tests/bench/bench.py \
	tests/bench/workloads.py
CLEANFILES += tests/bench/measure$(EXEEXT)

PAIRS = 7
HEAPTRACK = yes
BENCH =
.PHONY: bench
bench: all tests/bench/measure$(EXEEXT) examples/widgets$(EXEEXT) \
		tests/programs/deep$(EXEEXT) tests/programs/threads$(EXEEXT)
	PYTHONDONTWRITEBYTECODE=1 python3 $(srcdir)/tests/bench/bench.py --build=. \
		--source=$(srcdir) --pairs=$(PAIRS) --heaptrack=$(HEAPTRACK) $(BENCH)
