/* SPDX-License-Identifier: MIT */
/*
 * block_table.h -- the table of malloc's blocks.
 *
 * The record of a block of less than MP_BLOCK_LARGE bytes is a slot of 32 bits. There are slots at several
 * *levels*: at level K, one for each granule of 1 << K bytes of the address space. A block of at least 1 << K
 * bytes can be recorded at level K, because no other block begins in its granule. So the block's owner reads and
 * writes the slot without a lock. At the finest level, whose granule is the minimum distance between blocks,
 * every block can be recorded. A block costs the 4 bytes of each granule that it covers: at the level that fits
 * its size best, at most 10 bytes.
 *
 * The heap is divided into *units* of 32 KiB. The level of a unit is the one at which its blocks are recorded
 * now. The first block in a unit chooses the level, or a lower one if units of the same 2 MiB were lowered. A block
 * that is too small for the level lowers it. Blocks that were recorded before remain where they are. So the fast paths
 * look at one slot, and the slow ones search all levels.
 *
 * The slots of a region of the address space are one array for all levels: the slot of an address with offset X
 * in the region has the index (X | MP_SHADOW_REGION_SIZE) >> K. The coarsest level comes first. The indices
 * before its first slot are not used for slots; the levels of the units are stored there.
 *
 * A slot contains
 *
 *     0                   nothing so far
 *     its level           no block: the last one was freed
 *     MP_BLOCK_UNSEEN     perhaps a block that was not recorded, where one was freed before
 *     cell ^ address << 22, in 32 bits
 *                         a block at this address. Bits 26 to 31 are bits 4 to 9 of the address, which identify the
 *                         block in its granule. A cell has at most 26 bits, so this is reversible where addresses are
 *                         multiples of 16. With allocators other than glibc's, cells in slots have only 22 bits, and
 *                         bits 22 to 25 are the low bits of the address.
 *
 * The size of a block is not stored if its cell counts blocks of one size only. Other sizes are stored in a
 * second table (mp_block_sizes), which has a word of 16 bits for each slot. It is mapped only where there are
 * such blocks, and the region then has its address behind the levels of the units.
 *
 * A block of MP_BLOCK_LARGE bytes and more has an entry in a table in front of the region's slots. Small blocks
 * whose cells do not fit into a slot are recorded in a table under the lock (pool.h). This happens only if a
 * process has more than 67 million cells, or more than 4 million with an allocator other than glibc's.
 *
 * A free leaves the level, not 0. The reason is in block_trim.h, which releases pages of slots without a block
 * while other threads read and write them.
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
#include "runtime/store/store.h"
#include "recorder.h"
#include "shadow.h"

#define MP_BLOCK_LARGE     2048u        /* bytes of the smallest large block; also the minimum distance of large
                                           blocks */

#define MP_BLOCK_COARSEST  10u          /* the coarsest level */
#define MP_BLOCK_NO_LEVEL  11u          /* level of a unit without blocks, whose slots are always 0 */
#define MP_BLOCK_UNSEEN    16u
#define MP_BLOCK_MARKS     17u          /* slots with a block contain larger values */

#define MP_BLOCK_ADDRESS_SHIFT 22
#define MP_BLOCK_CELLS     (((uint32_t)1 << 26) - 1)    /* cells from here on do not fit into a slot */
#define MP_BLOCK_FEW_CELLS (((uint32_t)1 << 22) - 1)    /* the same where addresses are not multiples of 16 */

/* Bytes of a page of slots. A block of a growing heap begins in the first MP_BLOCK_PAGE_BEGINS bytes of a new
 * page. */
#define MP_BLOCK_PAGE        4096u
#define MP_BLOCK_PAGE_BEGINS 32u

#define MP_BLOCK_UNIT_BITS 15u          /* log2 of the heap bytes of a unit */
#define MP_BLOCK_UNITS     (MP_SHADOW_REGION_SIZE >> MP_BLOCK_UNIT_BITS)

/* The large block that begins in these MP_BLOCK_LARGE bytes. The entry belongs to the block's owner. */
struct mp_large_block {
    uintptr_t address;          /* address of the block; 0 if none */
    uint64_t record;            /* record of the block; if `address` is 0, the address of the block that was freed
                                   here last, or 0 */
};

#define MP_BLOCK_LARGES (MP_SHADOW_REGION_SIZE / MP_BLOCK_LARGE)      /* number of entries in front of the slots */

extern MP_HIDDEN struct mp_shadow_table mp_block_shadow, mp_block_sizes;
extern MP_HIDDEN uint32_t mp_block_cells;       /* cells from here on do not fit into a slot */
extern MP_HIDDEN uint32_t mp_block_distance;    /* minimum distance of blocks in bytes: the finest granule */
extern MP_HIDDEN bool mp_block_beyond;          /* there ever was a small block whose cell is too large for a slot */

/* Sets the table up. DISTANCE as for mp_shadow_open(). */
void mp_block_open(unsigned distance);

#define MP_BLOCK_CHUNK 262144u  /* cells */

/* Sizes of blocks by cell, in chunks of MP_BLOCK_CHUNK cells. The entry of a cell is the size of its blocks plus
 * 1, or 0 if it counts blocks of several sizes. Unlike the cells themselves, these entries exist as long as the
 * process, because there may be blocks that are older than the present file. */
extern MP_HIDDEN uint16_t *mp_block_cell_sizes[((size_t)1 << MP_CELL_ID_BITS) / MP_BLOCK_CHUNK];

/* Maps the sizes of COUNT cells from FIRST on. Returns false if there is no memory. */
bool mp_block_make_sizes(uint32_t first, uint32_t count);

/* An old record that is in the way of a new block. The allocator has freed the old block without calling a hook. */
struct mp_block_old {
    const void *block;          /* address of the old block */
    uint64_t record;            /* 0 if there is no old block */
};

enum mp_block_put {
    MP_BLOCK_DONE,
    MP_BLOCK_OLD,               /* not stored; the caller must take old records first (mp_block_take_old()) */
    MP_BLOCK_NO_MEMORY
};

/* Incremented before and after slots are moved, so it is odd in between. Written under the lock. */
extern MP_HIDDEN uint64_t mp_block_moves;

/* Slow paths of mp_block_region() and mp_block_put(). mp_block_take_old() takes an old record that is in the way
 * of a new block of SIZE bytes at BLOCK. */
uint32_t *mp_block_force_region(const void *block);
struct mp_block_old mp_block_take_old(const void *block, size_t size);

enum mp_block_put mp_block_put_late(uint32_t *region, const void *block, size_t size, uint32_t cell);

/* Removes all records, also those of freed blocks. Blocks that other threads record meanwhile may remain. Lock held. */
void mp_block_clear_all(void);

/* Removes and returns the record of BLOCK. Returns 0 if BLOCK is not recorded. */
uint64_t mp_block_take(const void *block);

/* Notes that BLOCK was allocated but not recorded, so that freeing it is not reported as a double free of an
 * earlier block at the address. */
void mp_block_unrecorded(const void *block);

/* Returns whether a block was freed at ADDRESS and no block was allocated there since. ADDRESS has no record. For
 * small blocks the result is the same for all addresses in a granule. Also returns false if this is no longer
 * known (block_trim.h). */
bool mp_block_was_freed(const void *address);

/* Returns whether ADDRESS, which has no record, is inside a live block and not at its beginning. Also returns
 * false if that is unknown, after too many calls for addresses far from all blocks. */
bool mp_block_is_within(const void *address);

/* Writes the size of BLOCK, which belongs to the caller, to *SIZE. Returns false if BLOCK has no record. */
bool mp_block_find_size(const void *block, size_t *size);

/* Restores RECORD of BLOCK, which has just been taken. */
void mp_block_put_back(const void *block, uint64_t record);

/* Returns the record of the small block in the slot of LEVEL for the granule at GRANULE, and stores the block's
 * address in *ADDRESS. Returns 0 if the slot has no block. */
uint64_t mp_block_read(uint32_t *region, uintptr_t granule, unsigned level, uintptr_t *address);

MP_INLINE uint32_t
mp_block_offset(uintptr_t address)
{
    return (uint32_t)address & (MP_SHADOW_REGION_SIZE - 1);
}

/* The state of a unit is its level, in the low byte, which never rises. MP_BLOCK_MIXED is added if a block of the
 * unit may be recorded elsewhere than at this level. */
#define MP_BLOCK_MIXED 0x100u

MP_INLINE uint16_t *
mp_block_unit(uint32_t *region, uintptr_t address)
{
    return (uint16_t *)region + (mp_block_offset(address) >> MP_BLOCK_UNIT_BITS);
}

MP_INLINE uint32_t
mp_block_index(uintptr_t address, unsigned level)
{
    return (mp_block_offset(address) | (uint32_t)MP_SHADOW_REGION_SIZE) >> (uint8_t)level;
}

MP_INLINE uint32_t *
mp_block_slot(uint32_t *region, uintptr_t address, unsigned level)
{
    return &region[mp_block_index(address, level)];
}

/* Returns the contents of the slot of BLOCK, which CELL counts. This function is its own inverse: if CELL is the
 * contents of the slot, it returns the cell. */
MP_INLINE uint32_t
mp_block_code(const void *block, uint32_t cell)
{
    return (uint32_t)((uintptr_t)block << MP_BLOCK_ADDRESS_SHIFT) ^ cell;
}

/* Returns the place of the sizes of the blocks in the slots of REGION, which is behind the levels of the units. The
 * sizes are in mp_block_sizes and indexed like the slots. They are NULL before a size is stored. */
MP_INLINE uint16_t **
mp_block_stored_sizes(const uint32_t *region)
{
    return (uint16_t **)((uint16_t *)(uintptr_t)region + MP_BLOCK_UNITS);
}

/* Returns the size of the block in slot INDEX of REGION, whose cell counts several sizes. */
MP_INLINE uint32_t
mp_block_stored_size(const uint32_t *region, size_t index)
{
    const uint16_t *sizes = __atomic_load_n(mp_block_stored_sizes(region), __ATOMIC_ACQUIRE);

    return MP_LIKELY(sizes) ? __atomic_load_n(&sizes[index], __ATOMIC_RELAXED) : 0;
}

MP_INLINE struct mp_large_block *
mp_block_large(uint32_t *region, const void *block)
{
    struct mp_large_block *entries = (struct mp_large_block *)region - MP_BLOCK_LARGES;

    return &entries[((uintptr_t)block & (MP_SHADOW_REGION_SIZE - 1)) / MP_BLOCK_LARGE];
}

/* Returns the region of BLOCK, or NULL if there is no memory. */
MP_INLINE uint32_t *
mp_block_region(const void *block)
{
    uint32_t *region = mp_shadow_region(&mp_block_shadow, (uintptr_t)block);

    return MP_LIKELY(region) ? region : mp_block_force_region(block);
}

/* Returns the region of BLOCK, or NULL if it is not mapped. */
MP_INLINE uint32_t *
mp_block_near_region(const struct mp_recorder *recorder, const void *block)
{
    const uintptr_t number = (uintptr_t)block >> MP_SHADOW_REGION_BITS;
    uint32_t *region;

    if (MP_UNLIKELY(recorder->near_numbers[number % MP_NEAR_REGIONS] != number))
        return mp_shadow_region(&mp_block_shadow, (uintptr_t)block);
    region = recorder->near_regions[number % MP_NEAR_REGIONS];
    if (!region)
        __builtin_unreachable();
    return region;
}

/* Makes RECORDER find the region of BLOCK quickly from now on. */
MP_INLINE void
mp_block_note_region(struct mp_recorder *recorder, const void *block)
{
    const uintptr_t number = (uintptr_t)block >> MP_SHADOW_REGION_BITS;
    uintptr_t *near = &recorder->near_numbers[number % MP_NEAR_REGIONS];
    uint32_t *region;

    if (MP_LIKELY(*near == number) || !(region = mp_shadow_region(&mp_block_shadow, (uintptr_t)block)))
        return;
    *near = UINTPTR_MAX;
    MP_IN_ORDER();
    recorder->near_regions[number % MP_NEAR_REGIONS] = region;
    MP_IN_ORDER();
    *near = number;
}

/* Returns the index in REGION of the slot in which BLOCK, of a small SIZE, can be recorded with mp_block_put_slot().
 * Returns 0 if other slots have to be examined, and then mp_block_put() must be called. This is so, for example, if the
 * slot has a block, because the free of that block was not seen. */
MP_INLINE uint32_t
mp_block_unused_slot(uint32_t *region, const void *block, size_t size)
{
    const uint32_t unit = __atomic_load_n(mp_block_unit(region, (uintptr_t)block), __ATOMIC_RELAXED);
    const uint32_t index = mp_block_index((uintptr_t)block, unit);
    const uint32_t *slot = &region[index], there = __atomic_load_n(slot, __ATOMIC_RELAXED);

    if (there != mp_block_shadow.shift &&       /* every block fits at the finest level */
        (MP_UNLIKELY(there >= MP_BLOCK_UNSEEN) ||
         MP_UNLIKELY(((uint32_t)size | mp_block_distance) >> (uint8_t)unit == 0) ||
         (there == 0 && (MP_UNLIKELY((uintptr_t)slot % MP_BLOCK_PAGE < MP_BLOCK_PAGE_BEGINS) ||
                         MP_UNLIKELY(unit >= MP_BLOCK_MIXED)))))
        return 0;
    if (index == 0)
        __builtin_unreachable();
    return index;
}

MP_INLINE void
mp_block_put_slot(uint32_t *region, uint32_t index, const void *block, uint32_t cell)
{
    __atomic_store_n(&region[index], mp_block_code(block, cell), __ATOMIC_RELAXED);
}

/* Stores the SIZE of a block that will be recorded in slot INDEX of REGION with a cell of several sizes. Returns false
 * if no sizes were stored in REGION yet. */
MP_INLINE bool
mp_block_put_size(uint32_t *region, uint32_t index, size_t size)
{
    uint16_t *sizes = __atomic_load_n(mp_block_stored_sizes(region), __ATOMIC_ACQUIRE);

    if (MP_UNLIKELY(!sizes))
        return false;
    __atomic_store_n(&sizes[index], (uint16_t)size, __ATOMIC_RELAXED);
    return true;
}

/* Stores RECORD of a large BLOCK in ENTRY, which is mp_block_large() of it. */
MP_INLINE void
mp_block_store_large(struct mp_large_block *entry, const void *block, uint64_t record)
{
    __atomic_store_n(&entry->record, record, __ATOMIC_RELAXED);
    __atomic_store_n(&entry->address, (uintptr_t)block, __ATOMIC_RELEASE);
}

/* Stores the record of BLOCK, a large one of less than MP_SHADOW_HUGE bytes. Returns false if mp_block_put() must be
 * called instead, because an old record may be in the way or because it is the first large block of its unit. */
MP_INLINE bool
mp_block_put_large(uint32_t *region, const void *block, size_t size, uint32_t cell)
{
    struct mp_large_block *entry = mp_block_large(region, block);
    const uint32_t unit = __atomic_load_n(mp_block_unit(region, (uintptr_t)block), __ATOMIC_RELAXED);

    if (MP_UNLIKELY(unit < MP_BLOCK_MIXED) || MP_UNLIKELY(__atomic_load_n(&mp_block_beyond, __ATOMIC_RELAXED)) ||
        MP_UNLIKELY(__atomic_load_n(&entry->address, __ATOMIC_RELAXED) != 0))
        return false;
    for (uint32_t level = (uint8_t)unit; level <= MP_BLOCK_COARSEST; level++)
        if (MP_UNLIKELY(__atomic_load_n(mp_block_slot(region, (uintptr_t)block, level), __ATOMIC_RELAXED) >=
                        MP_BLOCK_MARKS))
            return false;
    mp_block_store_large(entry, block, (uint64_t)cell << 32 | size);
    return true;
}

/* Returns the record of BLOCK if it is a large one, otherwise 0. */
MP_INLINE uint64_t
mp_block_find_large(uint32_t *region, const void *block)
{
    const struct mp_large_block *entry = mp_block_large(region, block);

    return __atomic_load_n(&entry->address, __ATOMIC_RELAXED) == (uintptr_t)block
               ? __atomic_load_n(&entry->record, __ATOMIC_RELAXED) : 0;
}

/* Removes the record of the large block BLOCK. */
MP_INLINE void
mp_block_clear_large(uint32_t *region, const void *block)
{
    struct mp_large_block *entry = mp_block_large(region, block);

    __atomic_store_n(&entry->record, (uintptr_t)block, __ATOMIC_RELAXED);
    __atomic_store_n(&entry->address, 0, __ATOMIC_RELAXED);
}

/* Notes that CELL counts only blocks of SIZE bytes. Called before a block with this cell is stored. */
MP_INLINE void
mp_block_note_size(uint32_t cell, uint32_t size)
{
    mp_block_cell_sizes[cell / MP_BLOCK_CHUNK][cell % MP_BLOCK_CHUNK] = (uint16_t)(size + 1);
}

/* Stores the record of BLOCK. ONE_SIZE means that CELL counts only blocks of this size. */
MP_INLINE enum mp_block_put
mp_block_put(uint32_t *region, const void *block, size_t size, uint32_t cell, bool one_size)
{
    uint32_t index;

    if (MP_UNLIKELY(!one_size) || MP_UNLIKELY(size >= MP_BLOCK_LARGE) || MP_UNLIKELY(cell >= mp_block_cells) ||
        MP_UNLIKELY(!(index = mp_block_unused_slot(region, block, size))))
        return mp_block_put_late(region, block, size, cell);
    mp_block_put_slot(region, index, block, cell);
    return MP_BLOCK_DONE;
}

/* Returns the slot in REGION where BLOCK is recorded if it is recorded at the level of its unit. Stores the cell in
 * *CELL and the level in *LEVEL. *CELL is valid only if it is the id of a cell, which the caller must check. */
MP_INLINE uint32_t *
mp_block_find_small(uint32_t *region, const void *block, uint32_t *cell, uint32_t *level)
{
    uint32_t *slot;

    *level = (uint8_t)__atomic_load_n(mp_block_unit(region, (uintptr_t)block), __ATOMIC_RELAXED);
    slot = mp_block_slot(region, (uintptr_t)block, *level);
    *cell = mp_block_code(block, __atomic_load_n(slot, __ATOMIC_RELAXED));
    return slot;
}

/* Removes the record from SLOT, which is of LEVEL. */
MP_INLINE void
mp_block_clear(uint32_t *slot, uint32_t level)
{
    __atomic_store_n(slot, level, __ATOMIC_RELAXED);
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
