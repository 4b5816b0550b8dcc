/* SPDX-License-Identifier: MIT */
/*
 * cell_blocks.h -- converts the counters of a cell to single blocks, for formats in which each allocation and each
 * free is an event.
 *
 * Counters do not contain the size of each block, or which of the blocks that lived at the peak were kept. The blocks
 * made here have the same sums as the counters: the number and bytes of blocks that were allocated, temporary, live
 * at the peak, and kept.
 */
#ifndef MP_EXPORT_BLOCKS_H
#define MP_EXPORT_BLOCKS_H

#include "reporter/profile/profile.h"

enum mp_blocks_sort {
    MP_BLOCKS_TEMPORARY,        /* freed before the next allocation */
    MP_BLOCKS_PASSING,          /* freed at some time, and not live at the peak */
    MP_BLOCKS_PEAK_TEMPORARY,   /* lived at the peak, and freed before the next allocation */
    MP_BLOCKS_PEAK,             /* lived at the peak, and freed later */
    MP_BLOCKS_LASTING,          /* lived at the peak and at the end */
    MP_BLOCKS_LATE,             /* allocated after the peak, and kept */
    MP_BLOCKS_SORTS
};

/* Blocks of one sort. They have at most two sizes, which differ by 1. */
struct mp_blocks_group {
    uint64_t n, bytes;
};

struct mp_blocks {
    struct mp_blocks_group of[MP_BLOCKS_SORTS];
    uint64_t more;              /* number of blocks that are not in the counters; they represent bytes of objects
                                   whose allocation is counted elsewhere */
    bool no_peak;               /* the figures of the peak contradict the others and are left out */
};

/* Returns the blocks of CELL, whose figures must not exceed MP_BLOCKS_MOST. Blocks that were not freed lived at the
 * end. */
struct mp_blocks mp_blocks_of(const struct mp_cell *cell);

#define MP_BLOCKS_MOST ((uint64_t)1 << 60)

/* Returns the larger of the two sizes in bytes, and sets *N to the number of blocks that have it. The others are one
 * byte smaller. */
static inline uint64_t
mp_blocks_size(const struct mp_blocks_group *group, uint64_t *n)
{
    uint64_t rest = group->n > 0 ? group->bytes % group->n : 0;

    *n = rest > 0 ? rest : group->n;
    return group->n > 0 ? group->bytes / group->n + (rest > 0) : 0;
}

#endif
