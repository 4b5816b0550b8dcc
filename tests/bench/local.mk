# make bench: the most important ones. A benchmark alone: make bench-NAME, where NAME is in BENCHMARKS.
# Variables: BENCH="example deep" (workloads), PAIRS=7, PEERS="heaptrack jemalloc" or none, OBJECTS=10000000
#     programs    costs of real programs, beside other profilers     start, scale    starting; twice as much data
#     lisp        programs of ECL                                    snapshots       how long ECL stops for a snapshot
#     observer    what mprof run itself needs                        heap            mprof heap; OBJECTS
#     many        mprof merge of 1,000 files; a database of 50 runs  html            pages, in Chromium
#     modes       instructions of a pair of malloc and free in each mode; needs valgrind
#     conses      instructions of a cons of ECL in loops and in recursion; needs valgrind
#     parts       where the time goes; needs valgrind
BENCHMARKS = programs modes start processes scale lisp conses snapshots observer heap many html parts
PROGRAMS_BENCH = tests/bench/lists tests/bench/measure
EXTRA_PROGRAMS = $(PROGRAMS_BENCH)
tests_bench_lists_SOURCES = tests/bench/lists.c
tests_bench_measure_SOURCES = tests/bench/measure.c
EXTRA_DIST += \
	tests/bench/bench.py \
	tests/bench/FINDINGS.md \
	tests/bench/floor.c \
	tests/bench/findings.py \
	tests/bench/findings/changes.txt \
	tests/bench/findings/confirmed.txt \
	tests/bench/findings/judged.txt \
	tests/bench/findings/shell.sh \
	tests/bench/findings/workloads.txt \
	tests/bench/harness.py \
	tests/bench/modes.py \
	tests/bench/pages.py \
	tests/bench/parts.py \
	tests/bench/work.lisp \
	tests/bench/workloads.py
CLEANFILES += $(PROGRAMS_BENCH) tests/bench/floor.so
tests/bench/floor.so: tests/bench/floor.c
	$(CC) $(CFLAGS) -shared -fPIC -o $@ $(srcdir)/tests/bench/floor.c -ldl

PAIRS = 7
PEERS = heaptrack jemalloc
OBJECTS = 10000000
BENCH =
MEASURED = $(PROGRAMS_BENCH) examples/widgets$(EXEEXT) tests/programs/abyss$(EXEEXT) \
	tests/programs/contexts$(EXEEXT) tests/programs/deep$(EXEEXT) \
	tests/programs/handover$(EXEEXT) tests/programs/live_blocks$(EXEEXT) \
	tests/programs/pairs$(EXEEXT) tests/bench/floor.so \
	tests/programs/threads$(EXEEXT) tests/programs/trees$(EXEEXT)
if HAVE_ECL
LISP_BENCHMARK = bench-lisp bench-conses
endif
.PHONY: bench $(BENCHMARKS:%=bench-%)
bench: bench-programs bench-modes bench-start bench-processes bench-scale bench-observer $(LISP_BENCHMARK)
$(BENCHMARKS:%=bench-%): all $(MEASURED)
	PYTHONDONTWRITEBYTECODE=1 python3 $(srcdir)/tests/bench/bench.py --source=$(srcdir) --pairs=$(PAIRS) \
		--peers="$(PEERS)" --ecl="$(ECL)" --objects=$(OBJECTS) $(@:bench-%=%) $(BENCH)

# What mprof findings says first about real programs, and whether changes of their sources have the effect that it
# promises. Programs are built in CONFIRM_DIR. WORKLOADS: names; default: all.
WORKLOADS =
CONFIRM_DIR = confirmed
FINDINGS_PY = PYTHONDONTWRITEBYTECODE=1 python3 $(srcdir)/tests/bench/findings.py
.PHONY: findings-table findings-confirm
findings-table: all
	$(FINDINGS_PY) $(if $(WORKLOADS),,--out $(srcdir)/tests/bench/FINDINGS.md) $(WORKLOADS)
findings-confirm: all
	$(FINDINGS_PY) --confirm $(CONFIRM_DIR) $(WORKLOADS)
# SPDX-License-Identifier: MIT
