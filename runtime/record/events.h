/* SPDX-License-Identifier: MIT */
/*
 * events.h -- writes a log of what is allocated and freed in a collected heap into the live file (mprof run
 * --record).
 *
 * Any thread appends to one row of records (struct mp_live_event). A thread reserves a record by incrementing a
 * common counter, so it waits for no other thread. It takes the lock only to enlarge the file, when the file has
 * no more records. A thread that is killed or jumps away in between leaves a record of zeros. The row is bounded,
 * and events beyond its end are counted as missing.
 *
 * A recorder that logs events always has MP_PENDING_OWN, which keeps its thread off the fast path of
 * heap_quick.h.
 */
#ifndef MP_EVENTS_H
#define MP_EVENTS_H

#include "runtime/format.h"

/* Called when a recording begins. Lock held. */
void mp_events_begin(void);

/* Append WHAT with VALUE and WHERE. mp_events_note_held() is called with the lock held. */
void mp_events_note(enum mp_event what, uint64_t value, uint64_t where);
void mp_events_note_held(enum mp_event what, uint64_t value, uint64_t where);

#endif
