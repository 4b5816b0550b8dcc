/* heap_parts.h -- functions that the loader of snapshots shares with the files that find objects and change tops. */
#ifndef MP_HEAP_PARTS_H
#define MP_HEAP_PARTS_H

#include "heap.h"

/* Makes the index that mp_heap_find() uses. */
void mp_heap_make_index(struct mp_heap *heap);

/* Finds the targets of the N <= MP_HEAP_BATCH references in LIST by their addresses. */
void mp_heap_find_all(const struct mp_heap *heap, struct mp_heap_reference *list, uint32_t n);

/* Makes the tops and their edges from the roots, in place of earlier ones. */
void mp_heap_make_tops(struct mp_heap *heap);

#endif
