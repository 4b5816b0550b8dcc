/* SPDX-License-Identifier: MIT */
/*
 * place.h -- chooses the addresses of the monitor's memory.
 *
 * The kernel assigns addresses from the stack downwards, or from a third of the address space (a quarter on
 * aarch64) upwards. The monitor uses the second eighth of the space, at a distance that differs from process to
 * process, with unmapped addresses around each of its mappings. It reserves no addresses. So the program's mappings
 * have the same addresses as without the monitor and count against the program's limits as usual. A write beyond a
 * mapping of the program faults as usual, and never reaches the monitor's data.
 */
#ifndef MP_PLACE_H
#define MP_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* mp_place_rows_size() returns the size in bytes of all rows together (store_rows.h). mp_place_rows() returns
 * their first address, or NULL if the address space is too small. */
uint64_t mp_place_rows_size(void);
char *mp_place_rows(void);

/* Returns an address for a mapping of SIZE bytes, which the caller maps with MAP_FIXED_NOREPLACE, because something may
 * be mapped there. The program may have asked for an address in this range. When the end of the range is reached, this
 * function begins again at its start, where memory of the monitor may still be mapped. Returns NULL if the range is
 * smaller than SIZE. Any thread may call this function without a lock. */
void *mp_place_next(size_t size);

/* Sets *START and *END to the range of the monitor's mappings, or to 0 if the address space is too small. The program
 * may have mappings in this range, too, because V8 and PartitionAlloc choose random addresses. */
void mp_place_range(uint64_t *start, uint64_t *end);

/* Returns whether the addresses from START to END overlap those that mp_place_next() has returned. */
bool mp_place_was_next(uint64_t start, uint64_t end);

/* Returns whether ADDRESS is in the range of the monitor's mappings. */
bool mp_place_is_ours(uintptr_t address);

#endif
