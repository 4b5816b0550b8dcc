/* SPDX-License-Identifier: MIT */
/* held_memory.h -- checks and sums of struct mp_live_allocator, the memory that malloc had obtained from the
 * system when the program ended. */
#ifndef MP_PROFILE_ALLOCATOR_H
#define MP_PROFILE_ALLOCATOR_H

#include <stdbool.h>

#include "runtime/format.h"

/* Returns whether the figures are consistent. The total must be positive, and no part may exceed it. */
static inline bool
mp_allocator_is_sound(const struct mp_live_allocator *of)
{
    return of->held > 0 && of->mapped <= of->held && of->free <= of->held - of->mapped;
}

/* Returns the bytes of chunks that are not free. They are the program's blocks with malloc's overhead, and
 * chunks that threads cache for their next allocations. */
static inline uint64_t
mp_allocator_used(const struct mp_live_allocator *of)
{
    return of->held - of->free;
}

#endif
