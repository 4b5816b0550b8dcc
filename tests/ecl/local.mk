# Programs for the tests that record ECL.
EXTRA_DIST += \
	tests/ecl/ages.lisp \
	tests/ecl/chains.lisp \
	tests/ecl/checkpoints.lisp \
	tests/ecl/chains-run.lisp \
	tests/ecl/causes.lisp \
	tests/ecl/costs.lisp \
	tests/ecl/findings.lisp \
	tests/ecl/heap-graph.lisp tests/ecl/heap-odd.lisp tests/ecl/heap-waits.lisp \
	tests/ecl/hub.lisp \
	tests/ecl/inlined-run.lisp \
	tests/ecl/dispatch.lisp \
	tests/ecl/inlined.lisp \
	tests/ecl/interpreted-chains.lisp \
	tests/ecl/interrupts.lisp \
	tests/ecl/kept.lisp \
	tests/ecl/document.lisp tests/ecl/libraries.lisp \
	tests/ecl/live.lisp \
	tests/ecl/methods-again.lisp \
	tests/ecl/methods-threads.lisp \
	tests/ecl/odd-names.lisp \
	tests/ecl/overflow.lisp \
	tests/ecl/printed-names.lisp \
	tests/ecl/names.lisp \
	tests/ecl/names-run.lisp \
	tests/ecl/twins.lisp \
	tests/ecl/twins-run.lisp \
	tests/ecl/same-names.lisp \
	tests/ecl/sampled.lisp \
	tests/ecl/settled.lisp \
	tests/ecl/short-lived.lisp \
	tests/ecl/threads.lisp \
	tests/ecl/types.lisp \
	tests/ecl/volume.lisp
if HAVE_ECL
check_PROGRAMS += tests/ecl/dead tests/ecl/embed tests/ecl/heap tests/ecl/sizes
tests_ecl_dead_SOURCES = tests/ecl/dead.c
tests_ecl_dead_CFLAGS = -g -O1
tests_ecl_dead_LDADD = -lecl -lgc
tests_ecl_sizes_SOURCES = tests/ecl/sizes.c
tests_ecl_sizes_CFLAGS = -g -fno-optimize-sibling-calls
tests_ecl_sizes_LDADD = -lecl -lgc
tests_ecl_embed_SOURCES = tests/ecl/embed.c
tests_ecl_embed_CFLAGS = -g -fno-optimize-sibling-calls
tests_ecl_embed_LDADD = -lecl
tests_ecl_heap_SOURCES = tests/ecl/heap.c
tests_ecl_heap_CFLAGS = -g -fno-optimize-sibling-calls
tests_ecl_heap_LDADD = -lecl
endif
# SPDX-License-Identifier: MIT
