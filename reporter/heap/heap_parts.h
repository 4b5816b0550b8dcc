/* SPDX-License-Identifier: MIT */
/* heap_parts.h -- functions that the loader of snapshots shares with the files that find objects and change tops. */
#ifndef MP_HEAP_PARTS_H
#define MP_HEAP_PARTS_H

#include "heap.h"

/* Makes the index that mp_heap_find() uses. */
void mp_heap_make_index(struct mp_heap *heap);

/* Finds the targets of the N <= MP_HEAP_BATCH references in LIST by their addresses. */
void mp_heap_find_all(const struct mp_heap *heap, struct mp_heap_reference *list, uint32_t n);

/* Makes the tops and their edges from the roots. They replace earlier ones, so references must not be in memory. */
void mp_heap_make_tops(struct mp_heap *heap);

/* Does what mp_heap_make_tops() does, after titles or groups of roots have changed. If references are in memory, they
 * stay there. Must not be called after mp_heap_prefer_lasting(). */
void mp_heap_remake_tops(struct mp_heap *heap);

#endif
