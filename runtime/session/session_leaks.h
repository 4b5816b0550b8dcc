/* SPDX-License-Identifier: MIT */
/*
 * session_leaks.h -- begins snapshots of the heap (scan.h), on request and at exit.
 */
#ifndef MP_SESSION_LEAKS_H
#define MP_SESSION_LEAKS_H

#include "runtime/format.h"
#include "runtime/heap_format.h"

/* Begins a snapshot of malloc's blocks and of all pointers to them. If OFFER is NULL, the snapshot is written to
 * FILE.NUMBER.heap. Otherwise it is written to a file without a name, whose descriptor is put into OFFER. Returns 0 or
 * -errno, which is -ENODATA while nothing is recorded, and -EOPNOTSUPP if not every block was recorded. Lock held. */
int mp_session_leaks(struct mp_live_offer *offer);

/* Begins a snapshot of the language's heap if the language has one of its own, and of malloc's blocks otherwise.
 * NAME, which may be NULL, becomes part of the file's name. OFFER and the result are as for mp_session_leaks().
 * Lock held. */
int mp_session_heap(enum mp_heap_trigger trigger, const char *name, struct mp_live_offer *offer);

/* Writes a snapshot if the options ask for one at exit, and waits until it is complete. Called when the process is
 * about to end. */
void mp_session_leaks_at_exit(void);

#endif
