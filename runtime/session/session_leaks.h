/*
 * session_leaks.h -- when it is written what leads to the blocks that live (scan.h): on request, and at exit.
 */
#ifndef MP_SESSION_LEAKS_H
#define MP_SESSION_LEAKS_H

#include "runtime/format.h"
#include "runtime/heap_format.h"

/* Have it written into a file without a name, which is put into OFFER, or, if that is NULL, into FILE.NUMBER.heap.  0
 * or -errno: -ENODATA while nothing is recorded, -EOPNOTSUPP where not every block was.  Lock held. */
int mp_session_leaks(struct mp_live_offer *offer);

/* Begins a snapshot of the heap: of the language's, if it has one of its own, or of malloc's blocks.  NAME, which may
 * be NULL, becomes part of the file's name; OFFER and the result are those of mp_session_leaks().  Lock held. */
int mp_session_heap(enum mp_heap_trigger trigger, const char *name, struct mp_live_offer *offer);

/* The process is about to end: have it written if that was asked for, and wait until it is. */
void mp_session_leaks_at_exit(void);

#endif
