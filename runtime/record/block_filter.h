/* SPDX-License-Identifier: MIT */
/*
 * block_filter.h -- recognises malloc's blocks that certainly have no record in the block table. Used in sampled
 * recordings.
 *
 * The filter is an array of counts. Each count is that of the records of all blocks whose addresses have one hash
 * value. A count of 255 means any number of records and never changes. If the count for a block is 0, the block has no
 * record, and its free needs no further work. If samples are far apart, this is so for nearly all blocks. The filter
 * fits into the cache, while the block table has a slot for every granule of the heap.
 *
 * In a sampled recording, every record is counted before it is stored, and until it has been taken. Complete
 * recordings count nothing. Therefore a sampled recording after a complete one begins with 255 everywhere.
 */
#ifndef MP_BLOCK_FILTER_H
#define MP_BLOCK_FILTER_H

#include <stdint.h>

#include "runtime/compiler.h"

#define MP_FILTER_COUNTS 65536u
#define MP_FILTER_FACTOR 2101u          /* hash factor, a little more than 2048. So blocks at a distance of 32
                                           bytes have different counts, which are near each other. */
#define MP_FILTER_MANY   255u

extern MP_HIDDEN uint8_t mp_filter_counts[MP_FILTER_COUNTS];

MP_INLINE uint8_t *
mp_filter_count(const void *block)
{
    return &mp_filter_counts[(uint32_t)(uintptr_t)block * MP_FILTER_FACTOR >> 16];
}

/* mp_filter_add() is called before a record of BLOCK is stored, mp_filter_remove() after it has been taken. */
void mp_filter_add(const void *block);
void mp_filter_remove(const void *block);

/* mp_filter_keep() makes sure that BLOCK is never excluded, mp_filter_keep_all() that no block is. */
void mp_filter_keep(const void *block);
void mp_filter_keep_all(void);

#endif
