/*
 * block_table.h -- the table of malloc's blocks. A small block has one or two slots of 32 bits. A large one has
 * an entry in a coarser table in front of the region's slots. So the slots, one for every few bytes of heap, are
 * only touched where blocks are small.
 *
 * The address space is divided into granules of the minimum distance between blocks. The slot of the granule in
 * which a block begins contains
 *
 *     0                       nothing so far: no block, or a large one
 *     MP_BLOCK_FREED          no block
 *     MP_BLOCK_UNSEEN         perhaps a block that was not recorded, where one was freed before
 *     MP_BLOCK_ELSEWHERE      a block whose record is in the table of large ones, or in the pool (below)
 *     size << 26 | cell       a block of this size, at most MP_BLOCK_ONE_SLOT
 *     63 << 26 | cell         a block whose size is in the next slot:
 *     MP_BLOCK_NEXT | size    the size of the block of the slot before, less than MP_BLOCK_LARGE
 *
 * A slot belongs to the block that begins in its granule, because no other does. So the block's owner reads and
 * writes it without a lock. The same holds for the next slot if it contains the size: after a block of 63 bytes
 * or more, the next block begins at least two granules later. That is obvious for granules of 8 or 16 bytes. For
 * the 32 bytes of glibc's malloc it holds because the chunk of such a block has 80 bytes. The last slot of a
 * region is followed by one more.
 *
 * Cells from MP_BLOCK_CELLS on do not fit into a slot. Small blocks with such cells are in a table under a lock.
 * A process needs 67 million cells to get there.
 *
 * A free leaves MP_BLOCK_FREED, not 0. The reason is in block_trim.h, which releases pages of slots without a
 * block while other threads read and write them.
 *
 * Format of a block's record outside of the table:
 *
 *     bits 63-32  cell, or 0 if there is no block
 *     bits 31-0   size in bytes, or MP_SHADOW_HUGE if the size is in a list (4 GiB and more)
 */
#ifndef MP_BLOCK_TABLE_H
#define MP_BLOCK_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/compiler.h"
#include "shadow.h"

#define MP_BLOCK_LARGE     1024u        /* bytes of the smallest large block, which is also the minimum distance of
                                           large blocks */

#define MP_BLOCK_CELL_BITS 26
#define MP_BLOCK_CELL      (((uint32_t)1 << MP_BLOCK_CELL_BITS) - 1)
#define MP_BLOCK_CELLS     (MP_BLOCK_CELL + 1 - MP_BLOCK_LARGE)
#define MP_BLOCK_ONE_SLOT  62u
#define MP_BLOCK_TWO_SLOTS ((uint32_t)63 << MP_BLOCK_CELL_BITS)
#define MP_BLOCK_NEXT      (MP_BLOCK_TWO_SLOTS | MP_BLOCK_CELLS)

/* Values without a cell, like 0. */
#define MP_BLOCK_FREED     ((uint32_t)1 << MP_BLOCK_CELL_BITS)
#define MP_BLOCK_ELSEWHERE ((uint32_t)2 << MP_BLOCK_CELL_BITS)
#define MP_BLOCK_UNSEEN    ((uint32_t)3 << MP_BLOCK_CELL_BITS)

/* Bytes of a page of slots. A block of a growing heap begins in the first MP_BLOCK_PAGE_BEGINS bytes of a new
 * page. */
#define MP_BLOCK_PAGE        4096u
#define MP_BLOCK_PAGE_BEGINS 256u

/* The large block that begins in these MP_BLOCK_LARGE bytes. The entry belongs to the block's owner. */
struct mp_large_block {
    uintptr_t address;          /* address of the block; 0 if none */
    uint64_t record;            /* its record; if `address` is 0, the address of the block last freed here, or 0 */
};

#define MP_BLOCK_LARGES (MP_SHADOW_REGION_SIZE / MP_BLOCK_LARGE)      /* number of entries in front of the slots */

extern MP_HIDDEN struct mp_shadow_table mp_block_shadow;

/* Sets the table up. DISTANCE as for mp_shadow_open(). */
void mp_block_open(unsigned distance);

/* An old record where a new block is to be stored. The allocator has freed its block without calling a hook. */
struct mp_block_old {
    const void *block;          /* address of the old block; for a small one only the beginning of its granule */
    uint64_t record;            /* 0 if there is no old block */
};

enum mp_block_put {
    MP_BLOCK_DONE,
    MP_BLOCK_OLD,               /* not stored: old records have to be taken first, if there are any */
    MP_BLOCK_NO_MEMORY
};

/* Incremented before and after slots are moved, so it is odd in between. Written under the lock. */
extern MP_HIDDEN uint64_t mp_block_moves;

/* True once a large block has been stored whose slot stayed 0. */
extern MP_HIDDEN bool mp_block_unmarked;

/* Slow paths. */
uint32_t *mp_block_force_region(const void *block);
struct mp_block_old mp_block_take_old(const void *block, size_t size);
enum mp_block_put mp_block_put_elsewhere(uint32_t *region, const void *block, size_t size, uint32_t cell);
uint64_t mp_block_take_elsewhere(uint32_t *region, const void *block);

enum mp_block_put mp_block_put_late(uint32_t *region, const void *block, size_t size, uint32_t cell);

/* Called when BLOCK was allocated but not recorded. Ensures that freeing it is not reported as a double free of
 * an earlier block there. */
void mp_block_unrecorded(const void *block);

/* Returns whether a block was freed at ADDRESS and none was allocated there since. Called if ADDRESS has no
 * record. For small blocks the answer holds for all addresses in the granule, and in both granules of a block
 * with two slots. Also returns false if that is no longer known (block_trim.h). */
bool mp_block_was_freed(const void *address);

/* Returns whether ADDRESS, which has no record, is inside a live block and not at its beginning. Also returns
 * false if that is unknown: for the last bytes of a small block, because its slots do not say where in the
 * granule it begins, and after too many calls for addresses far from all blocks. */
bool mp_block_is_within(const void *address);

/* Writes the size of BLOCK, which belongs to the caller, to *SIZE. Returns false if BLOCK has no record. */
bool mp_block_find_size(const void *block, size_t *size);

/* Restores RECORD of BLOCK, which has just been taken. */
void mp_block_put_back(const void *block, uint64_t record);

MP_INLINE uint32_t *
mp_block_slot(uint32_t *region, const void *block)
{
    return &region[mp_shadow_index(&mp_block_shadow, (uintptr_t)block)];
}

/* Returns whether SLOT contains a record, or the size of one. */
MP_INLINE bool
mp_block_is_used(uint32_t slot)
{
    return (slot & MP_BLOCK_CELL) != 0;
}

MP_INLINE struct mp_large_block *
mp_block_large(uint32_t *region, const void *block)
{
    struct mp_large_block *entries = (struct mp_large_block *)region - MP_BLOCK_LARGES;

    return &entries[((uintptr_t)block & (MP_SHADOW_REGION_SIZE - 1)) / MP_BLOCK_LARGE];
}

MP_INLINE bool
mp_block_is_large(uint32_t *region, const void *block)
{
    return __atomic_load_n(&mp_block_large(region, block)->address, __ATOMIC_RELAXED) ==
           (uintptr_t)block;
}

/* Returns the region of BLOCK, or NULL if there is no memory. */
MP_INLINE uint32_t *
mp_block_region(const void *block)
{
    uint32_t *region = mp_shadow_region(&mp_block_shadow, (uintptr_t)block);

    return MP_LIKELY(region) ? region : mp_block_force_region(block);
}

/* Stores SIZE and CELL in SLOT, and in the next slot if necessary. Returns false if that one is in use. */
MP_INLINE bool
mp_block_put_slots(uint32_t *slot, size_t size, uint32_t cell)
{
    if (size > MP_BLOCK_ONE_SLOT) {
        if (MP_UNLIKELY(__atomic_load_n(slot + 1, __ATOMIC_RELAXED) & ~MP_BLOCK_FREED))
            return false;
        __atomic_store_n(slot + 1, MP_BLOCK_NEXT | (uint32_t)size, __ATOMIC_RELAXED);
        size = MP_BLOCK_TWO_SLOTS >> MP_BLOCK_CELL_BITS;
    }
    __atomic_store_n(slot, (uint32_t)size << MP_BLOCK_CELL_BITS | cell, __ATOMIC_RELAXED);
    return true;
}

/* Stores the record of BLOCK, a small block, if nothing else has to be done. Otherwise returns false, and
 * mp_block_put() has to be called. Slots in use belong to blocks whose frees were not seen. A slot of 0 may be
 * that of a large block, which is looked up by BLOCK's own address. */
MP_INLINE bool
mp_block_put_small(uint32_t *region, const void *block, size_t size, uint32_t cell)
{
    uint32_t *slot = mp_block_slot(region, block);
    uint32_t there = __atomic_load_n(slot, __ATOMIC_RELAXED);

    if (there != MP_BLOCK_FREED &&
        (MP_UNLIKELY(there) || MP_UNLIKELY((uintptr_t)slot % MP_BLOCK_PAGE < MP_BLOCK_PAGE_BEGINS) ||
         MP_UNLIKELY(mp_block_is_large(region, block))))
        return false;
    return mp_block_put_slots(slot, size, cell);
}

/* Stores the record of BLOCK. */
MP_INLINE enum mp_block_put
mp_block_put(uint32_t *region, const void *block, size_t size, uint32_t cell)
{
    if (MP_UNLIKELY(size >= MP_BLOCK_LARGE) || MP_UNLIKELY(cell >= MP_BLOCK_CELLS))
        return mp_block_put_elsewhere(region, block, size, cell);
    return MP_LIKELY(mp_block_put_small(region, block, size, cell)) ? MP_BLOCK_DONE
           : mp_block_put_late(region, block, size, cell);
}

/* Removes the record from SLOT. Returns its cell and sets *SIZE. Returns 0 if SLOT contains no record, or only part
 * of one because slots are being moved. */
MP_INLINE uint32_t
mp_block_take_slots(uint32_t *slot, uint32_t *size)
{
    uint32_t first = __atomic_load_n(slot, __ATOMIC_RELAXED);

    if (MP_UNLIKELY(!mp_block_is_used(first)))
        return 0;
    *size = first >> MP_BLOCK_CELL_BITS;
    if (*size > MP_BLOCK_ONE_SLOT) {
        *size = __atomic_load_n(slot + 1, __ATOMIC_RELAXED) - MP_BLOCK_NEXT;
        if (MP_UNLIKELY(*size >= MP_BLOCK_LARGE) || MP_UNLIKELY(first >= MP_BLOCK_NEXT))
            return 0;
        __atomic_store_n(slot + 1, MP_BLOCK_FREED, __ATOMIC_RELAXED);
    }
    __atomic_store_n(slot, MP_BLOCK_FREED, __ATOMIC_RELAXED);
    return first & MP_BLOCK_CELL;
}

/* Takes the record of BLOCK if it is in the slots. Returns its cell and *SIZE, or 0. After 0, mp_block_take()
 * finds out whether there is a record elsewhere. */
MP_INLINE uint32_t
mp_block_take_small(const void *block, uint32_t *size)
{
    uint32_t *region = mp_shadow_region(&mp_block_shadow, (uintptr_t)block);

    return MP_LIKELY(region) ? mp_block_take_slots(mp_block_slot(region, block), size) : 0;
}

/* Returns whether SLOT contains 0 and that proves that there is no block. */
MP_INLINE bool
mp_block_is_none(const uint32_t *slot)
{
    uint64_t moves = __atomic_load_n(&mp_block_moves, __ATOMIC_ACQUIRE);

    return !__atomic_load_n(&mp_block_unmarked, __ATOMIC_RELAXED) && moves % 2 == 0 &&
           __atomic_load_n(slot, __ATOMIC_ACQUIRE) == 0 &&
           __atomic_load_n(&mp_block_moves, __ATOMIC_RELAXED) == moves;
}

/* Removes and returns the record of BLOCK. Returns 0 if BLOCK is not recorded. */
MP_INLINE uint64_t
mp_block_take(const void *block)
{
    uint32_t *region = mp_shadow_region(&mp_block_shadow, (uintptr_t)block), *slot, cell, size;

    if (MP_UNLIKELY(!region))
        return 0;
    slot = mp_block_slot(region, block);
    cell = mp_block_take_slots(slot, &size);
    if (MP_LIKELY(cell))
        return (uint64_t)cell << 32 | size;
    if (__atomic_load_n(slot, __ATOMIC_RELAXED) == MP_BLOCK_FREED || mp_block_is_none(slot))
        return 0;
    return mp_block_take_elsewhere(region, block);
}

/* Returns the size of BLOCK, whose RECORD was taken, and removes it from the list of huge sizes. */
MP_INLINE size_t
mp_block_size(const void *block, uint64_t record)
{
    uint32_t size = (uint32_t)record;

    return MP_LIKELY(size != MP_SHADOW_HUGE) ? size : mp_shadow_take_huge((uintptr_t)block);
}

/* Removes the size of BLOCK from the list of huge sizes. Called if RECORD was taken but the free is not counted. */
MP_INLINE void
mp_block_forget_size(const void *block, uint64_t record)
{
    if (MP_UNLIKELY((uint32_t)record == MP_SHADOW_HUGE))
        mp_shadow_take_huge((uintptr_t)block);
}

#endif
