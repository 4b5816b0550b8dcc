/*
 * block_table.h -- the object table of malloc's blocks: small ones have a word each, large ones an
 * entry in a coarser table before the words of the region, so that a word's worth of table for every
 * few bytes of heap is only touched where blocks are small.
 *
 * What is remembered of a block is its record:
 *
 *     bits 63-32  cell; 0: no block
 *     bits 31-0   size in bytes; MP_SHADOW_HUGE: the size is in a list (4 GiB and more)
 *
 * A freed block leaves MP_BLOCK_FREED, not 0.  block_trim.h gives pages of words without a block back, while
 * other threads read and write them: see there.
 */
#ifndef MP_BLOCK_TABLE_H
#define MP_BLOCK_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/compiler.h"
#include "shadow.h"

#define MP_BLOCK_FREED  1u
#define MP_BLOCK_LARGE  1024u          /* bytes; so far apart at least are the starts of large blocks */

/* The large block that begins in these MP_BLOCK_LARGE bytes; it belongs to the block's owner. */
struct mp_large_block {
    uintptr_t address;          /* 0: none */
    uint64_t record;
};

#define MP_BLOCK_LARGES (MP_SHADOW_REGION_SIZE / MP_BLOCK_LARGE)      /* they stand before the words */

extern MP_HIDDEN struct mp_shadow_table mp_block_shadow;

/* DISTANCE: as for mp_shadow_open(). */
int mp_block_open(unsigned distance);

/* A record that is in the way of a new block: the allocator has freed its own without a call of a hook. */
struct mp_block_old {
    const void *block;
    uint64_t record;            /* 0: none */
};

enum mp_block_put {
    MP_BLOCK_DONE,
    MP_BLOCK_OLD,               /* not done: take the old ones away first */
    MP_BLOCK_NO_MEMORY
};

/* Odd while words are being moved.  Written under the lock. */
extern MP_HIDDEN uint64_t mp_block_moves;

/* Cold parts. */
uint64_t *mp_block_force_region(const void *block);
struct mp_block_old mp_block_take_old(const void *block, size_t size);
enum mp_block_put mp_block_put_huge(struct mp_large_block *entry, const void *block, size_t size,
                                    uint32_t cell);
uint64_t mp_block_take_moving(uint64_t *word);

/* Put the RECORD of BLOCK back, which was just taken. */
void mp_block_put_back(const void *block, uint64_t record);

MP_INLINE bool
mp_block_is_record(uint64_t record)
{
    return record >> 32 != 0;
}

MP_INLINE struct mp_large_block *
mp_block_large(uint64_t *region, const void *block)
{
    struct mp_large_block *entries = (struct mp_large_block *)region - MP_BLOCK_LARGES;

    return &entries[((uintptr_t)block & (MP_SHADOW_REGION_SIZE - 1)) / MP_BLOCK_LARGE];
}

MP_INLINE void
mp_block_put_large(struct mp_large_block *entry, const void *block, uint64_t record)
{
    __atomic_store_n(&entry->record, record, __ATOMIC_RELAXED);
    __atomic_store_n(&entry->address, (uintptr_t)block, __ATOMIC_RELEASE);
}

/* The region of BLOCK; NULL: no memory. */
MP_INLINE uint64_t *
mp_block_region(const void *block)
{
    uint64_t *region = mp_shadow_region(&mp_block_shadow, (uintptr_t)block);

    return MP_LIKELY(region) ? region : mp_block_force_region(block);
}

/* Remember BLOCK. */
MP_INLINE enum mp_block_put
mp_block_put(uint64_t *region, const void *block, size_t size, uint32_t cell)
{
    uint64_t *word = mp_shadow_word(&mp_block_shadow, region, (uintptr_t)block);
    struct mp_large_block *large = mp_block_large(region, block);
    uintptr_t there = __atomic_load_n(&large->address, __ATOMIC_RELAXED);

    if (MP_UNLIKELY(mp_block_is_record(__atomic_load_n(word, __ATOMIC_RELAXED))) ||
        MP_UNLIKELY(there == (uintptr_t)block))
        return MP_BLOCK_OLD;
    if (MP_LIKELY(size < MP_BLOCK_LARGE)) {
        __atomic_store_n(word, (uint64_t)cell << 32 | size, __ATOMIC_RELAXED);
        return MP_BLOCK_DONE;
    }
    if (MP_UNLIKELY(there))
        return MP_BLOCK_OLD;
    if (MP_UNLIKELY(size >= MP_SHADOW_HUGE))
        return mp_block_put_huge(large, block, size, cell);
    mp_block_put_large(large, block, (uint64_t)cell << 32 | size);
    return MP_BLOCK_DONE;
}

/* Take the record of BLOCK out; 0: there is none. */
MP_INLINE uint64_t
mp_block_take(const void *block)
{
    struct mp_large_block *large;
    uint64_t *region, *word, record;

    if (MP_UNLIKELY(!mp_shadow_is_open(&mp_block_shadow)) ||
        MP_UNLIKELY(!(region = mp_shadow_region(&mp_block_shadow, (uintptr_t)block))))
        return 0;
    word = mp_shadow_word(&mp_block_shadow, region, (uintptr_t)block);
    record = __atomic_load_n(word, __ATOMIC_RELAXED);
    if (MP_LIKELY(mp_block_is_record(record))) {
        __atomic_store_n(word, MP_BLOCK_FREED, __ATOMIC_RELAXED);
        return record;
    }
    large = mp_block_large(region, block);
    if (MP_UNLIKELY(__atomic_load_n(&large->address, __ATOMIC_RELAXED) != (uintptr_t)block))
        return mp_block_take_moving(word);
    record = __atomic_load_n(&large->record, __ATOMIC_RELAXED);
    __atomic_store_n(&large->address, 0, __ATOMIC_RELAXED);
    return record;
}

/* The size of BLOCK, whose RECORD was taken: also out of the list. */
MP_INLINE size_t
mp_block_size(const void *block, uint64_t record)
{
    uint32_t size = (uint32_t)record;

    return MP_LIKELY(size != MP_SHADOW_HUGE) ? size : mp_shadow_take_huge((uintptr_t)block);
}

/* The block of RECORD is freed, and counted nowhere: its size must not stay in the list. */
MP_INLINE void
mp_block_forget_size(const void *block, uint64_t record)
{
    if (MP_UNLIKELY((uint32_t)record == MP_SHADOW_HUGE))
        mp_shadow_take_huge((uintptr_t)block);
}

#endif
