# make bench: the most important ones. A benchmark alone: make bench-NAME, where NAME is in BENCHMARKS.
# Variables: BENCH="example deep" (workloads), PAIRS=7, PEERS="heaptrack jemalloc" or none, OBJECTS=10000000
#     programs    costs of real programs, beside other profilers     start, scale    starting; twice as much data
#     lisp        programs of ECL                                    snapshots       how long ECL stops for a snapshot
#     observer    what mprof run itself needs                        heap            mprof heap; OBJECTS
#     many        mprof merge of 1,000 files; a database of 50 runs  html            pages, in Chromium
#     parts       where the time goes; needs valgrind
BENCHMARKS = programs start scale lisp snapshots observer heap many html parts
PROGRAMS_BENCH = tests/bench/lists tests/bench/measure
EXTRA_PROGRAMS = $(PROGRAMS_BENCH)
tests_bench_lists_SOURCES = tests/bench/lists.c
tests_bench_measure_SOURCES = tests/bench/measure.c
EXTRA_DIST += \
	tests/bench/RESULTS.md \
	tests/bench/bench.py \
	tests/bench/harness.py \
	tests/bench/pages.py \
	tests/bench/parts.py \
	tests/bench/work.lisp \
	tests/bench/workloads.py
CLEANFILES += $(PROGRAMS_BENCH)

PAIRS = 7
PEERS = heaptrack jemalloc
OBJECTS = 10000000
BENCH =
MEASURED = $(PROGRAMS_BENCH) examples/widgets$(EXEEXT) tests/programs/abyss$(EXEEXT) \
	tests/programs/contexts$(EXEEXT) tests/programs/deep$(EXEEXT) \
	tests/programs/handover$(EXEEXT) tests/programs/live_blocks$(EXEEXT) \
	tests/programs/threads$(EXEEXT) tests/programs/trees$(EXEEXT)
if HAVE_ECL
LISP_BENCHMARK = bench-lisp
endif
.PHONY: bench $(BENCHMARKS:%=bench-%)
bench: bench-programs bench-start bench-scale bench-observer $(LISP_BENCHMARK)
$(BENCHMARKS:%=bench-%): all $(MEASURED)
	PYTHONDONTWRITEBYTECODE=1 python3 $(srcdir)/tests/bench/bench.py --source=$(srcdir) --pairs=$(PAIRS) \
		--peers="$(PEERS)" --ecl="$(ECL)" --objects=$(OBJECTS) $(@:bench-%=%) $(BENCH)
