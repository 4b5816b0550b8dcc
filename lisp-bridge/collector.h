/* collector.h -- libgc's events: dead objects leave all tables. */
#ifndef MP_LISP_COLLECTOR_H
#define MP_LISP_COLLECTOR_H

#include <stdbool.h>
#include <stdint.h>

/* From now on, for good: what the bridge remembers of objects must be right whenever recording
 * begins again. */
void mp_lisp_collector_open(void);

/* FUNCTION is called at the end of each collection; NULL: none. */
void mp_lisp_collector_tell(void (*function)(void));

/*
 * Pointers to objects in memory that libgc does not scan, such as the variables of a thread, do not
 * keep the objects alive.  Whoever has one remembers mp_lisp_stops from when the object was surely
 * there, and asks with that before it looks at the object.
 *
 * mp_lisp_stops counts how often libgc has stopped the world; it changes only while no thread runs.
 */
extern uint32_t mp_lisp_stops;

/*
 * Load *POINTER; NULL if the object that it pointed to when STOPS were counted may be gone.  CELL:
 * what counts the object.  What is returned stays alive as long as the caller holds it in a register
 * or on its stack: if libgc has not stopped the world since, it has not marked without that; if it
 * has, the object table is asked under the gate's lock, where no collection can come to an end.
 */
void *mp_lisp_still_there(void *const *pointer, uint32_t stops, uint32_t cell);

/* Under the gate's lock: is OBJECT alive, for a table that every collection takes the dead out of? */
bool mp_lisp_is_alive(const void *object);

#endif
