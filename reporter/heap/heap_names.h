/* SPDX-License-Identifier: MIT */
/*
 * heap_names.h -- names the sites and roots of a RAW snapshot from the recording in which it was taken.
 *
 * A RAW snapshot stores contexts by their ids in the live file, which are lost when the recording is sealed.
 * Therefore mprof run seals the snapshots first. A recording belongs to a snapshot if process, program and run are
 * the same.
 */
#ifndef MP_HEAP_NAMES_H
#define MP_HEAP_NAMES_H

#include "heap.h"
#include "reporter/profile/profile.h"

/* Sets function, file, line and caller of the sites of HEAP. Also names roots, and types of C blocks. RECORDING is the
 * path of the recording. If it is NULL, the recording is searched at the path that the snapshot contains, and in the
 * directory of the snapshot. Returns false if heap->form is not MP_HEAP_RAW or the recording cannot be read; then HEAP
 * is unchanged. */
bool mp_heap_name(struct mp_heap *heap, const char *recording);

/* Replaces the site of each object by the site that reports charge, see charge.h and skip.h. This is the innermost one
 * that is not internal, or the innermost one if all are internal. Merges sites with the same function, file and line.
 * */
void mp_heap_charge(struct mp_heap *heap);

#endif
