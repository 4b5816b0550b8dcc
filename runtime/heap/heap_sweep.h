/*
 * heap_sweep.h -- objects that die.
 *
 * They are counted by a recorder of the collector's own, under the gate's lock, in a cell of the same
 * context and kind; how old objects become, in a struct mp_live_ages.
 */
#ifndef MP_HEAP_SWEEP_H
#define MP_HEAP_SWEEP_H

#include <stddef.h>
#include <stdint.h>

/* The object of WORD (heap_table.h) at BLOCK died.  Takes the lock. */
void mp_heap_count_dead(uint64_t word, uintptr_t block);

/* An object that survived AGE collections belongs to another cell.  Takes the lock. */
void mp_heap_move_age(uint32_t from, uint32_t to, size_t size, unsigned age);

#endif
