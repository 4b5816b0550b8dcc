/* heap_blocks.h -- assigns types to C blocks: types inferred from debug information, or else sizes. */
#ifndef MP_HEAP_BLOCKS_H
#define MP_HEAP_BLOCKS_H

#include "heap.h"
#include "reporter/profile/profile.h"

/* Assigns a type to each C block of HEAP. PROFILE is the recording. CONTEXTS has, for each of the N sites of HEAP, its
 * context in PROFILE, or MP_NO_ID if it is not known.
 *
 * The type is "node" or "node[]" if the allocating expression makes such objects (symbols/infer.h) and the block has a
 * size that fits: that of the type, a multiple of it, or more if the type ends in an array of unspecified length.
 *
 * Otherwise the type is the size, followed by structures of this size, as "24 bytes: node, edge". PROFILE names the
 * structures that are mentioned in functions that allocate such blocks (symbols/types.h), for sizes up to 1,024
 * bytes. */
void mp_heap_blocks_type(struct mp_heap *heap, const struct mp_profile *profile, const uint32_t *contexts, uint32_t n);

#endif
