/* heap_blocks.h -- types of C's blocks: their sizes, and what has such a size. */
#ifndef MP_HEAP_BLOCKS_H
#define MP_HEAP_BLOCKS_H

#include "heap.h"
#include "reporter/profile/profile.h"

/* Give each block of HEAP a type by its size, "24 bytes: node, edge": the structures of which PROFILE, that of the
 * recording, knows that they have it and that functions which allocate such blocks mention (symbols/types.h); it tells
 * them for up to 1,024 bytes. */
void mp_heap_blocks_by_size(struct mp_heap *heap, const struct mp_profile *profile);

#endif
