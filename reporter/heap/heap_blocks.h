/* heap_blocks.h -- types of C's blocks: what debug information tells, else their sizes. */
#ifndef MP_HEAP_BLOCKS_H
#define MP_HEAP_BLOCKS_H

#include "heap.h"
#include "reporter/profile/profile.h"

/* Give each block of HEAP a type.  CONTEXTS: those of PROFILE, the recording, by site of HEAP (MP_NO_ID: not known),
 * N of them.
 *
 * "node", "node[]": what the expression that allocated it makes of it (symbols/told.h), if that has such a size: the
 * type's, some times the type's, or more where the type ends in an array of any length.
 *
 * "24 bytes: node, edge": else its size, and the structures that have this size, of which PROFILE knows that functions
 * which allocate such blocks mention them (symbols/types.h); it tells them for up to 1,024 bytes. */
void mp_heap_blocks_type(struct mp_heap *heap, const struct mp_profile *profile, const uint32_t *contexts, uint32_t n);

#endif
