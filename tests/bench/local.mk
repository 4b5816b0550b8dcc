# make bench-c [BENCH="example deep"] [PAIRS=7] [PEERS="heaptrack jemalloc gperftools", none]
# make bench-lisp [LISP_WORK="conses cxml"] [PAIRS=7]
# make bench: both, and bench-time
# make bench-html [PAGES="contexts minimiser"] [PAIRS=7]: pages of mprof html, in Chromium
# make bench-time [PAIRS=7]: what the observer of mprof run costs
# make bench-many: mprof merge of a thousand files, a database of 50 runs; needs sqlite3
# make bench-heap [OBJECTS=10000000] [HEAPS="list wide"] [PAIRS=7]: time and memory of mprof heap
# make bench-snapshots [SNAPSHOTS="conses strings"] [PAIRS=7]: how long ECL stops for a snapshot of its heap
# make bench-parts [PARTS="pairs python"] [PAIRS=7]: where the time goes; needs valgrind
PROGRAMS_BENCH = \
	tests/bench/bignum \
	tests/bench/heap_made \
	tests/bench/look \
	tests/bench/measure \
	tests/bench/minimiser
EXTRA_PROGRAMS = $(PROGRAMS_BENCH)
tests_bench_bignum_SOURCES = tests/bench/bignum.c tests/bench/number.c tests/bench/number.h
tests_bench_heap_made_SOURCES = tests/bench/heap_made.c
tests_bench_heap_made_LDADD = $(REPORTER_LIBS)
tests_bench_look_SOURCES = tests/bench/look.c
tests_bench_look_LDADD = $(REPORTER_LIBS)
tests_bench_measure_SOURCES = tests/bench/measure.c
tests_bench_minimiser_SOURCES = tests/bench/cover.c \
	tests/bench/cover.h tests/bench/cover_split.c tests/bench/minimiser.c
EXTRA_DIST += \
	tests/bench/PARTS.md \
	tests/bench/RESULTS.md \
	tests/bench/RESULTS-LISP.md \
	tests/bench/RESULTS-HEAP.md \
	tests/bench/RESULTS-HTML.md \
	tests/bench/RESULTS-SNAPSHOTS.md \
	tests/bench/bench.py \
	tests/bench/bench_heap.py \
	tests/bench/bench_html.py \
	tests/bench/bench_lisp.py \
	tests/bench/bench_many.py \
	tests/bench/bench_snapshots.py \
	tests/bench/bench_time.py \
	tests/bench/callgrind.py \
	tests/bench/harness.py \
	tests/bench/heap_work.lisp \
	tests/bench/lisp_run.lisp \
	tests/bench/lisp_work.lisp \
	tests/bench/parts.py \
	tests/bench/peers.py \
	tests/bench/scale.py \
	tests/bench/workloads.py
CLEANFILES += $(PROGRAMS_BENCH)

PAIRS = 7
PEERS = heaptrack jemalloc
BENCH =
LISP_WORK =
PARTS =
PAGES =
.PHONY: bench bench-c bench-lisp bench-html bench-many bench-parts bench-time
.PHONY: bench-heap
OBJECTS = 10000000
HEAPS =
bench-heap: all tests/bench/heap_made$(EXEEXT) tests/bench/measure$(EXEEXT)
	PYTHONDONTWRITEBYTECODE=1 python3 $(srcdir)/tests/bench/bench_heap.py --build=. \
		--source=$(srcdir) --pairs=$(PAIRS) --objects=$(OBJECTS) $(HEAPS)
.PHONY: bench-snapshots
SNAPSHOTS =
bench-snapshots: all tests/bench/measure$(EXEEXT)
	PYTHONDONTWRITEBYTECODE=1 python3 $(srcdir)/tests/bench/bench_snapshots.py --build=. \
		--source=$(srcdir) --ecl=$(ECL) --pairs=$(PAIRS) $(SNAPSHOTS)
.PHONY: bench bench-c bench-lisp bench-html bench-parts bench-time
if HAVE_ECL
LISP_BENCHMARK = bench-lisp
endif
bench: bench-c bench-time $(LISP_BENCHMARK)
bench-lisp: all
	PYTHONDONTWRITEBYTECODE=1 python3 $(srcdir)/tests/bench/bench_lisp.py --build=. \
		--source=$(srcdir) --ecl=$(ECL) --pairs=$(PAIRS) $(LISP_WORK)
# The programs of tests/programs that are measured.
MEASURED = $(PROGRAMS_BENCH) examples/widgets$(EXEEXT) tests/programs/abyss$(EXEEXT) \
	tests/programs/contexts$(EXEEXT) tests/programs/deep$(EXEEXT) \
	tests/programs/handover$(EXEEXT) tests/programs/live_blocks$(EXEEXT) \
	tests/programs/threads$(EXEEXT) tests/programs/trees$(EXEEXT)
bench-c: all $(MEASURED)
	PYTHONDONTWRITEBYTECODE=1 python3 $(srcdir)/tests/bench/bench.py --build=. \
		--source=$(srcdir) --pairs=$(PAIRS) --peers="$(PEERS)" $(BENCH)
bench-parts: all $(MEASURED)
	PYTHONDONTWRITEBYTECODE=1 python3 $(srcdir)/tests/bench/parts.py --build=. \
		--source=$(srcdir) --pairs=$(PAIRS) $(PARTS)
bench-time: all tests/bench/look$(EXEEXT) tests/bench/measure$(EXEEXT) tests/programs/contexts$(EXEEXT)
	PYTHONDONTWRITEBYTECODE=1 python3 $(srcdir)/tests/bench/bench_time.py --build=. \
		--source=$(srcdir) --pairs=$(PAIRS)
bench-many: all tests/bench/measure$(EXEEXT) tests/programs/contexts$(EXEEXT)
	PYTHONDONTWRITEBYTECODE=1 python3 $(srcdir)/tests/bench/bench_many.py --build=. --source=$(srcdir)
bench-html: all tests/bench/measure$(EXEEXT) tests/bench/minimiser$(EXEEXT) tests/programs/contexts$(EXEEXT)
	PYTHONDONTWRITEBYTECODE=1 python3 $(srcdir)/tests/bench/bench_html.py --build=. \
		--source=$(srcdir) --pairs=$(PAIRS) $(PAGES)
