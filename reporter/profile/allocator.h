/* allocator.h -- what malloc had of the system when the program ended: struct mp_live_allocator. */
#ifndef MP_PROFILE_ALLOCATOR_H
#define MP_PROFILE_ALLOCATOR_H

#include <stdbool.h>

#include "runtime/format.h"

/* Parts are not more than the whole, which is more than nothing. */
static inline bool
mp_allocator_is_sound(const struct mp_live_allocator *of)
{
    return of->held > 0 && of->mapped <= of->held && of->free <= of->held - of->mapped;
}

/* Bytes of chunks that are not free: blocks that the program has, with what malloc adds to each, and chunks that
 * threads keep for their next allocations. */
static inline uint64_t
mp_allocator_used(const struct mp_live_allocator *of)
{
    return of->held - of->free;
}

#endif
