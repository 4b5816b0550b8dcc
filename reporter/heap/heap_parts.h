/* heap_parts.h -- functions that the loader of snapshots shares with the files that find objects and change tops. */
#ifndef MP_HEAP_PARTS_H
#define MP_HEAP_PARTS_H

#include <stdlib.h>

#include "heap.h"

/* Resizes LIST to ROOM entries of SIZE bytes. Ends the program if memory is exhausted. */
static inline void *
mp_heap_grown(void *list, uint64_t room, size_t size)
{
    return mp_need(realloc(list, (size_t)room * size));
}

static inline uint64_t
mp_heap_larger(uint64_t room)
{
    return room + room / 2 + 1024;
}

/* mp_heap_make_index() must run before mp_heap_find(). mp_heap_find_all() finds the targets of N <=
 * MP_HEAP_BATCH references by their addresses. */
void mp_heap_make_index(struct mp_heap *heap);
void mp_heap_find_all(const struct mp_heap *heap, struct mp_heap_reference *list, uint32_t n);

/* Makes the tops and their edges from the roots. */
void mp_heap_make_tops(struct mp_heap *heap);

#endif
