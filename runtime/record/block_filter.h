/*
 * block_filter.h -- in a sampled recording: which of malloc's blocks may have a record in the object table.
 *
 * A byte for all blocks of the same address modulo 2 MiB (less the low bits) counts how many of them have a
 * record, up to 255, which stands for any number and stays.  It is the same byte for all of a granule of the
 * object table (32 bytes at most), which is all that the table knows of where an old record's block began.
 * So who frees a block and finds 0 knows that it has none: nearly all, where samples are far apart.  These
 * bytes are few enough to be in the cache, where the slots of the object table are as many as the heap has
 * granules.
 *
 * Every record that is put while a recording is sampled is added before, and removed after it was taken out.
 * Recordings of all add nothing: a sampled one that comes after such a one begins with 255 everywhere.
 */
#ifndef MP_BLOCK_FILTER_H
#define MP_BLOCK_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/compiler.h"

#define MP_FILTER_GRANULE 32u
#define MP_FILTER_COUNTS  65536u
#define MP_FILTER_MANY    255u

extern MP_HIDDEN uint8_t mp_filter_counts[MP_FILTER_COUNTS];

MP_INLINE uint8_t *
mp_filter_count(const void *block)
{
    return &mp_filter_counts[(uintptr_t)block / MP_FILTER_GRANULE % MP_FILTER_COUNTS];
}

/* Has BLOCK certainly no record? */
MP_INLINE bool
mp_filter_excludes(const void *block)
{
    return mp_is_zero_byte(mp_filter_count(block));
}

/* BLOCK will have a record; it had one, which was added. */
void mp_filter_add(const void *block);
void mp_filter_remove(const void *block);

/* Never exclude BLOCK; and no block at all. */
void mp_filter_keep(const void *block);
void mp_filter_keep_all(void);

#endif
