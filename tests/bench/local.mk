# make bench-c [BENCH="example deep"] [PAIRS=7] [HEAPTRACK=no]
# make bench-lisp [LISP_WORK="conses cxml"] [PAIRS=7]
# make bench: both
EXTRA_PROGRAMS = tests/bench/measure
tests_bench_measure_SOURCES = tests/bench/measure.c
tests_bench_measure_CFLAGS = $(AM_CFLAGS)
EXTRA_DIST += \
	tests/bench/RESULTS.md \
	tests/bench/RESULTS-LISP.md \
	tests/bench/bench.py \
	tests/bench/bench_lisp.py \
	tests/bench/lisp_run.lisp \
	tests/bench/lisp_work.lisp \
	tests/bench/workloads.py
CLEANFILES += tests/bench/measure$(EXEEXT)

PAIRS = 7
HEAPTRACK = yes
BENCH =
LISP_WORK =
.PHONY: bench bench-c bench-lisp
if HAVE_ECL
LISP_BENCHMARK = bench-lisp
endif
bench: bench-c $(LISP_BENCHMARK)
bench-lisp: all
	PYTHONDONTWRITEBYTECODE=1 python3 $(srcdir)/tests/bench/bench_lisp.py --build=. \
		--source=$(srcdir) --ecl=$(ECL) --pairs=$(PAIRS) $(LISP_WORK)
bench-c: all tests/bench/measure$(EXEEXT) examples/widgets$(EXEEXT) \
		tests/programs/deep$(EXEEXT) tests/programs/threads$(EXEEXT) \
		tests/programs/abyss$(EXEEXT) tests/programs/trees$(EXEEXT)
	PYTHONDONTWRITEBYTECODE=1 python3 $(srcdir)/tests/bench/bench.py --build=. \
		--source=$(srcdir) --pairs=$(PAIRS) --heaptrack=$(HEAPTRACK) $(BENCH)
