/* SPDX-License-Identifier: MIT */
/*
 * heap_sweep.h -- counts objects that die.
 *
 * The collector has a recorder of its own. It counts dead objects, under the gate's lock, in a cell with the context
 * and kind of the cell that counted their allocations. The ages of objects are counted in a struct mp_live_ages.
 */
#ifndef MP_HEAP_SWEEP_H
#define MP_HEAP_SWEEP_H

#include <stddef.h>
#include <stdint.h>

/* Counts the death of the object at BLOCK, whose word in the table (object_table.h) was WORD. Takes the lock. */
void mp_heap_count_dead(uint64_t word, uintptr_t block);

/* Moves an object of SIZE bytes that survived AGE collections from the ages of cell FROM to the ages of cell TO.
 * Takes the lock. */
void mp_heap_move_age(uint32_t from, uint32_t to, size_t size, unsigned age);

#endif
