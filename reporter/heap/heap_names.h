/*
 * heap_names.h -- names for the sites of a RAW snapshot, and for the places of its roots, from the recording that it
 * was made in.
 *
 * Contexts are known by their ids in the live file only: once that is sealed, they are not.  So mprof run seals
 * snapshots first.  The recording is that of the snapshot if process, program and run are the same.
 */
#ifndef MP_HEAP_NAMES_H
#define MP_HEAP_NAMES_H

#include "heap.h"
#include "reporter/profile/profile.h"

/* Name what is not: each site gets the function, file and line, and the site that called it.  RECORDING: where the
 * recording is; NULL: where the snapshot says that it is, or beside it.  False: there is no such recording, and
 * nothing has changed. */
bool mp_heap_name(struct mp_heap *heap, const char *recording);

/* Sites become those that reports charge, see charge.h and skip.h: of each object the innermost that is not internal,
 * the innermost of all where there is none; and sites with the same function, file and line are one. */
void mp_heap_charge(struct mp_heap *heap);

#endif
