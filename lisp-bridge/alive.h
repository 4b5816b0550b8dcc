/* alive.h -- is an object still there that memory points to which libgc does not scan? */
#ifndef MP_LISP_ALIVE_H
#define MP_LISP_ALIVE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Pointers to objects in the bridge's tables and in its variables of a thread do not keep the objects
 * alive.  Whoever has one remembers mp_lisp_stops from when the object was surely there, and asks with that
 * before it looks at the object.
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

/* For the collector's end, between the end of marking and the sweep: has OBJECT's page an object that
 * begins there, which is what mark bits are kept for; and is OBJECT, which may lie in memory that was
 * given back, marked? */
bool mp_lisp_is_in_use(const void *object);
bool mp_lisp_is_marked(const void *object);

/* The dead of all collections until now are out of the bridge's tables, and if SWEPT out of the object
 * table.  Lock held. */
void mp_lisp_tables_are_clean(bool swept);

#endif
