/*
 * blocks.h -- counters of a chain as single blocks: for formats in which each allocation and each free is an
 * event.
 *
 * Which block was how large, and which of those that lived at the peak were kept, counters do not tell.  The
 * blocks that are made here have the same sums: how many and how many bytes were allocated, were freed at once,
 * lived at the peak, and were kept.
 */
#ifndef MP_EXPORT_BLOCKS_H
#define MP_EXPORT_BLOCKS_H

#include "reporter/profile/profile.h"

enum mp_blocks_sort {
    MP_BLOCKS_TEMPORARY,        /* freed before the next allocation */
    MP_BLOCKS_PASSING,          /* freed some time, and not there at the peak */
    MP_BLOCKS_PEAK_TEMPORARY,   /* lived at the peak, and freed before the next allocation */
    MP_BLOCKS_PEAK,             /* lived at the peak, and freed later */
    MP_BLOCKS_LASTING,          /* lived at the peak and at the end */
    MP_BLOCKS_LATE,             /* allocated after the peak, and kept */
    MP_BLOCKS_SORTS
};

/* Blocks of one sort, of two sizes that differ by 1. */
struct mp_blocks_group {
    uint64_t n, bytes;
};

struct mp_blocks {
    struct mp_blocks_group of[MP_BLOCKS_SORTS];
    uint64_t more;              /* blocks that are not in the counters: bytes of objects that were allocated
                                   elsewhere are one here */
    bool no_peak;               /* what lived at the peak does not go with the other figures, and is left out */
};

/* The blocks of CELL, none of whose figures is more than MP_BLOCKS_MOST.  What lived at the end is what was not
 * freed. */
struct mp_blocks mp_blocks_of(const struct mp_cell *cell);

#define MP_BLOCKS_MOST ((uint64_t)1 << 60)

/* The larger of the two sizes, and how many have it; the others have a byte less. */
static inline uint64_t
mp_blocks_size(const struct mp_blocks_group *group, uint64_t *n)
{
    uint64_t rest = group->n > 0 ? group->bytes % group->n : 0;

    *n = rest > 0 ? rest : group->n;
    return group->n > 0 ? group->bytes / group->n + (rest > 0) : 0;
}

#endif
