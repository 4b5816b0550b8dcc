/* SPDX-License-Identifier: MIT */
/* alive.h -- checks whether an object is still alive, for pointers that libgc does not scan. */
#ifndef MP_LISP_ALIVE_H
#define MP_LISP_ALIVE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Pointers in the bridge's tables and thread variables do not keep objects alive. Code that stores such a pointer
 * also stores the value of mp_lisp_stops from a time when the object was surely alive. It calls mp_lisp_still_there()
 * with this value before it uses the object. CELL is 0 if the object is not in the object table.
 *
 * mp_lisp_stops counts how often libgc has stopped the world. It changes only while no thread runs.
 */
extern uint32_t mp_lisp_stops;

/*
 * Loads *POINTER, or returns NULL if the object may have died since mp_lisp_stops was STOPS. CELL is the cell that
 * counts the object. The result stays alive while the caller has it in a register or on its stack. If libgc has not
 * stopped the world since STOPS, a later collection sees the result there. If libgc has stopped the world since, the
 * object table is checked under the gate's lock, because no collection can finish while a thread has this lock. An
 * object that is not in the table is returned only if there was one collection since STOPS, which has marked it.
 */
void *mp_lisp_still_there(void *const *pointer, uint32_t stops, uint32_t cell);

/* Returns whether OBJECT is alive. OBJECT must be in a table from which every collection removes dead objects. Gate's
 * lock held. */
bool mp_lisp_is_alive(const void *object);

/* Notes that the bridge's tables contain no objects that died in collections up to now. SWEPT means that the object
 * table contains no such objects either. Gate's lock held. */
void mp_lisp_tables_are_clean(bool swept);

#endif
