/*
 * heap.h -- objects of a collected heap: counted when they are made, and again when the collector
 * finds them dead.  What bridges call is in monitor.h.
 *
 * The object table of its own has a word for every 16 bytes:
 *
 *     bits 63-32  cell (never 0)
 *     bits 31-3   size, in units of 16 bytes; MP_HEAP_HUGE: the size is in a list
 *     bits 2-0    collections that the object survived, at most 4
 *
 * Dead objects are counted by a recorder of the collector's own, under the gate's lock: in a cell
 * of the same context and kind, and in another one for the ages (MP_KIND_AGES).
 */
#ifndef MP_HEAP_H
#define MP_HEAP_H

#include <stdbool.h>

/* Set the table up; 0 or -ENOMEM.  Lock held. */
int mp_heap_open(void);

/* A new file begins.  Lock held. */
void mp_heap_reset(void);

#endif
