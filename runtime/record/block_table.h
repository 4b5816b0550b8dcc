/*
 * block_table.h -- the object table of malloc's blocks: small ones have a slot of 32 bits each, or two,
 * large ones an entry in a coarser table before the slots of the region, so that a slot's worth of table for
 * every few bytes of heap is only touched where blocks are small.
 *
 * The slot of the granule in which a block begins (granules are as long as blocks are apart at least) holds
 *
 *     0                       nothing yet: no block, or a large one
 *     MP_BLOCK_FREED          no block
 *     MP_BLOCK_UNSEEN         perhaps a block, which was not recorded, where one was freed before
 *     MP_BLOCK_ELSEWHERE      a block, whose record is in the table of large ones, or beyond (below)
 *     size << 26 | cell       a block; its size, at most MP_BLOCK_ONE_SLOT
 *     63 << 26 | cell         a block whose size is in the next slot:
 *     MP_BLOCK_NEXT | size    the size of the block of the slot before, less than MP_BLOCK_LARGE
 *
 * A slot is the block's own, so whoever owns the block reads and writes it without a lock: no other block
 * begins in the granule.  So is the next one, if the size is there: a block of 63 bytes and more keeps the
 * next block two granules away at least, wherever in its granule it begins.  Where granules have 8 or 16
 * bytes that is plain; where they have 32, in glibc's malloc, the chunk of such a block has 80.  The last
 * slot of a region has one more behind it.
 *
 * Cells from MP_BLOCK_CELLS on do not fit in a slot: then the blocks that are not large are in a table under
 * a lock.  It takes a process 67 million cells to come there.
 *
 * Freed blocks leave MP_BLOCK_FREED, not 0.  block_trim.h gives pages of slots without a block back, while
 * other threads read and write them: see there.
 *
 * A block's record, as it is handed out:
 *
 *     bits 63-32  cell; 0: no block
 *     bits 31-0   size in bytes; MP_SHADOW_HUGE: the size is in a list (4 GiB and more)
 */
#ifndef MP_BLOCK_TABLE_H
#define MP_BLOCK_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/compiler.h"
#include "shadow.h"

#define MP_BLOCK_LARGE     1024u        /* bytes; so far apart at least are the starts of large blocks */

#define MP_BLOCK_CELL_BITS 26
#define MP_BLOCK_CELL      (((uint32_t)1 << MP_BLOCK_CELL_BITS) - 1)
#define MP_BLOCK_CELLS     (MP_BLOCK_CELL + 1 - MP_BLOCK_LARGE)
#define MP_BLOCK_ONE_SLOT  62u
#define MP_BLOCK_TWO_SLOTS ((uint32_t)63 << MP_BLOCK_CELL_BITS)
#define MP_BLOCK_NEXT      (MP_BLOCK_TWO_SLOTS | MP_BLOCK_CELLS)

/* Without a cell, and so is 0. */
#define MP_BLOCK_FREED     ((uint32_t)1 << MP_BLOCK_CELL_BITS)
#define MP_BLOCK_ELSEWHERE ((uint32_t)2 << MP_BLOCK_CELL_BITS)
#define MP_BLOCK_UNSEEN    ((uint32_t)3 << MP_BLOCK_CELL_BITS)

/* A page of slots, bytes, and so much of it that a block of a growing heap falls in there. */
#define MP_BLOCK_PAGE        4096u
#define MP_BLOCK_PAGE_BEGINS 256u

/* The large block that begins in these MP_BLOCK_LARGE bytes; it belongs to the block's owner. */
struct mp_large_block {
    uintptr_t address;          /* 0: none; then */
    uint64_t record;            /* is the address of the one that was freed here last, 0: there was none */
};

#define MP_BLOCK_LARGES (MP_SHADOW_REGION_SIZE / MP_BLOCK_LARGE)      /* they stand before the slots */

extern MP_HIDDEN struct mp_shadow_table mp_block_shadow;

/* DISTANCE: as for mp_shadow_open(). */
void mp_block_open(unsigned distance);

/* A record that is in the way of a new block: the allocator has freed its own without a call of a hook. */
struct mp_block_old {
    const void *block;          /* or, of a small one, where the granule begins that it began in */
    uint64_t record;            /* 0: none */
};

enum mp_block_put {
    MP_BLOCK_DONE,
    MP_BLOCK_OLD,               /* not done: take the old ones away first, if there are any */
    MP_BLOCK_NO_MEMORY
};

/* Odd while slots are being moved.  Written under the lock. */
extern MP_HIDDEN uint64_t mp_block_moves;

/* Was a large block put where the slot went on saying 0? */
extern MP_HIDDEN bool mp_block_unmarked;

/* Not on the common way. */
uint32_t *mp_block_force_region(const void *block);
struct mp_block_old mp_block_take_old(const void *block, size_t size);
enum mp_block_put mp_block_put_elsewhere(uint32_t *region, const void *block, size_t size, uint32_t cell);
uint64_t mp_block_take_elsewhere(uint32_t *region, const void *block);

enum mp_block_put mp_block_put_late(uint32_t *region, const void *block, size_t size, uint32_t cell);

/* BLOCK was allocated and not recorded: where one was freed before, that is no longer the last that is known. */
void mp_block_unrecorded(const void *block);

/* For an ADDRESS that no record was taken of: was a block freed there, and none allocated since?  Slots tell of all
 * addresses in their granule, and of both granules of a block that had two.  False: it was not, or that is not known
 * any more (block_trim.h). */
bool mp_block_was_freed(const void *address);

/* The same: is it within a block, but not where that begins?  False: it is not; or that is not known, of the last bytes
 * of a small block, whose slots do not tell where in its granule it begins, or because too many addresses were asked
 * for that are far from all blocks. */
bool mp_block_is_within(const void *address);

/* Put the RECORD of BLOCK back, which was just taken. */
void mp_block_put_back(const void *block, uint64_t record);

MP_INLINE uint32_t *
mp_block_slot(uint32_t *region, const void *block)
{
    return &region[mp_shadow_index(&mp_block_shadow, (uintptr_t)block)];
}

/* Does SLOT say something of a block? */
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

/* The region of BLOCK; NULL: no memory. */
MP_INLINE uint32_t *
mp_block_region(const void *block)
{
    uint32_t *region = mp_shadow_region(&mp_block_shadow, (uintptr_t)block);

    return MP_LIKELY(region) ? region : mp_block_force_region(block);
}

/* Put SIZE and CELL in SLOT, and in the next one if that is needed and free; else false. */
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

/* Remember BLOCK, which is not large, where nothing else is to be done; false: mp_block_put() is to be called.
 * What its slots hold before is of blocks that were freed unseen.  A slot that never held anything does not
 * say that a large one was: that is looked up, by the block's own address. */
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

/* Remember BLOCK. */
MP_INLINE enum mp_block_put
mp_block_put(uint32_t *region, const void *block, size_t size, uint32_t cell)
{
    if (MP_UNLIKELY(size >= MP_BLOCK_LARGE) || MP_UNLIKELY(cell >= MP_BLOCK_CELLS))
        return mp_block_put_elsewhere(region, block, size, cell);
    return MP_LIKELY(mp_block_put_small(region, block, size, cell)) ? MP_BLOCK_DONE
           : mp_block_put_late(region, block, size, cell);
}

/* Take out the record that SLOT holds: its cell, and *SIZE; 0: none, or not all of one, because slots are
 * being moved. */
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

/* Take the record of BLOCK out if its slots have it: its cell, and *SIZE; 0: mp_block_take() tells. */
MP_INLINE uint32_t
mp_block_take_small(const void *block, uint32_t *size)
{
    uint32_t *region = mp_shadow_region(&mp_block_shadow, (uintptr_t)block);

    return MP_LIKELY(region) ? mp_block_take_slots(mp_block_slot(region, block), size) : 0;
}

/* Does the 0 in SLOT say that there is no block? */
MP_INLINE bool
mp_block_is_none(const uint32_t *slot)
{
    uint64_t moves = __atomic_load_n(&mp_block_moves, __ATOMIC_ACQUIRE);

    return !__atomic_load_n(&mp_block_unmarked, __ATOMIC_RELAXED) && moves % 2 == 0 &&
           __atomic_load_n(slot, __ATOMIC_ACQUIRE) == 0 &&
           __atomic_load_n(&mp_block_moves, __ATOMIC_RELAXED) == moves;
}

/* Take the record of BLOCK out; 0: there is none. */
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
