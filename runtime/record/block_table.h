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
 * now. It never rises. Blocks that were recorded before it fell remain where they are. So the fast paths look at one
 * slot, and the slow ones search all levels.
 *
 * A unit is *plain* or *shared*. In a plain unit, all blocks are recorded in the slots of their own granules, by plain
 * stores. The first block in a unit chooses the level, or a lower one if units of the same 2 MiB were lowered. A block
 * that is too small for the level lowers it. So where sizes are mixed, the smallest blocks decide, and all blocks
 * together may take much memory.
 *
 * A unit begins as a shared one if its blocks are likely to be so far from each other that this saves memory. The unit
 * before it in the address space shows that. All blocks of a shared unit, whatever their sizes, are recorded at one
 * level, at which most of them are alone in their granules. A block can be recorded in any slot of its *window*, which
 * has the slots of MP_BLOCK_WINDOW bytes of heap. The first slot of the window is that of the block's own granule. The
 * first slots of the unit follow its last ones. A new block claims the first slot of its window that has no block, by a
 * compare-and-swap. The bits of the address in the slot differ for all blocks whose windows have a common slot.
 * Therefore the block's owner recognises the record, nobody else changes it, and the owner removes it by a plain store.
 * An old record that is in the way of a new block is found there only if it has the same address, and perhaps only when
 * a later block gets this address. If a window is full, the unit becomes a plain one of the finest level.
 *
 * No level of a unit is plain at one time and shared at another, because shared units never have the finest level, and
 * no plain unit becomes shared. So a plain store of a new block meets no claim, also if its thread has read an earlier
 * state of the unit.
 *
 * The slots of a region of the address space are one array for all levels: the slot of an address with offset X
 * in the region has the index (X | MP_SHADOW_REGION_SIZE) >> K. The coarsest level comes first. The indices
 * before its first slot are not used for slots; the states of the units are stored there.
 *
 * A slot contains
 *
 *     0                   nothing so far; in a shared unit, the slot cannot be claimed yet
 *     its level           no block: the last one was freed
 *     its level | MP_BLOCK_SHARED
 *                         the same in a shared unit; with the bits of the address, as below, if the slot was not that
 *                         of the block's own granule
 *     MP_BLOCK_UNSEEN     perhaps a block that was not recorded, where one was freed before
 *     MP_BLOCK_UNUSED     nothing so far, in a shared unit
 *     cell ^ address << 21, in 32 bits
 *                         a block at this address. Bits 25 to 31 are bits 4 to 10 of the address, which identify the
 *                         block in its window. A cell has at most 25 bits, so this is reversible where addresses are
 *                         multiples of 16. With allocators other than glibc's, cells in slots have only 21 bits, and
 *                         bits 21 to 24 are the low bits of the address.
 *
 * The size of a block is not stored if its cell counts blocks of one size only. Other sizes are stored in a
 * second table (mp_block_sizes), which has a word of 16 bits for each slot. It is mapped only where there are
 * such blocks, and the region then has its address behind the states of the units.
 *
 * A block of MP_BLOCK_LARGE bytes and more has an entry in a table in front of the region's slots. Small blocks
 * whose cells do not fit into a slot are recorded in a table under the lock (pool.h). This happens only if a
 * process has more than 33 million cells, or more than 2 million with an allocator other than glibc's.
 *
 * A free leaves the level, not 0. The reason is in block_trim.h, which releases pages of slots without a block
 * while other threads read and write them. For the same reason, 0 becomes MP_BLOCK_UNUSED only under the lock.
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
#define MP_BLOCK_UNUSED    17u
#define MP_BLOCK_MARKS     48u          /* smallest cell that can be in a slot; smaller values are marks */
#define MP_BLOCK_WINDOW    2048u        /* bytes of heap whose slots are the window of a block in a shared unit */

#define MP_BLOCK_ADDRESS_SHIFT 21
#define MP_BLOCK_CELLS     (((uint32_t)1 << 25) - 1)    /* cells from here on do not fit into a slot */
#define MP_BLOCK_FEW_CELLS (((uint32_t)1 << 21) - 1)    /* the same where addresses are not multiples of 16 */

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
extern MP_HIDDEN uint32_t mp_block_delays;      /* number of times that units will still be plain instead of shared,
                                                   because the table of a small heap is small enough */
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
 * small blocks the result is mostly the same for all addresses in a granule. Also returns false if this is no longer
 * known, because the slot was claimed for another block or released (block_trim.h). */
bool mp_block_was_freed(const void *address);

/* Returns whether ADDRESS, which has no record, is inside a live block and not at its beginning. Also returns
 * false if that is unknown, after too many calls for addresses far from all blocks. */
bool mp_block_is_within(const void *address);

/* Writes the size of BLOCK, which belongs to the caller, to *SIZE. Returns false if BLOCK has no record. */
bool mp_block_find_size(const void *block, size_t *size);

/* Restores RECORD of BLOCK, which has just been taken. */
void mp_block_put_back(const void *block, uint64_t record);

/* Returns the record of a small block whose address is at least FROM and less than END, and stores the address in
 * *ADDRESS. Examines slots of LEVEL for the granule of FROM, which END is not beyond, and returns the first such block
 * in the granule, or the last one if LAST. Returns 0 if there is none. */
uint64_t mp_block_read(uint32_t *region, uintptr_t from, uintptr_t end, unsigned level, bool last, uintptr_t *address);

MP_INLINE uint32_t
mp_block_offset(uintptr_t address)
{
    return (uint32_t)address & (MP_SHADOW_REGION_SIZE - 1);
}

/* The state of a unit is its level, to which flags and the level of its windows are added. The low byte has the level
 * and MP_BLOCK_SHARED. */
#define MP_BLOCK_LEVEL    31u           /* mask of the level; processors mask the distance of a shift in this way */
#define MP_BLOCK_SHARED   0x20u         /* the unit is shared */
#define MP_BLOCK_MIXED    0x100u        /* a block may be recorded elsewhere than at this level */
#define MP_BLOCK_WINDOWED 12u           /* number of the first bit of the level at which the unit is or was shared */

/* Returns the state of a unit that is shared at LEVEL. */
MP_INLINE uint32_t
mp_block_shared(unsigned level)
{
    return level << MP_BLOCK_WINDOWED | MP_BLOCK_SHARED | level;
}

/* Returns the level at which a unit with the state UNIT is or was shared, or 0 if it never was. */
MP_INLINE unsigned
mp_block_windowed(uint32_t unit)
{
    return unit >> MP_BLOCK_WINDOWED;
}

MP_INLINE uint16_t *
mp_block_unit(uint32_t *region, uintptr_t address)
{
    return (uint16_t *)region + (mp_block_offset(address) >> MP_BLOCK_UNIT_BITS);
}

MP_INLINE uint32_t
mp_block_index(uintptr_t address, unsigned level)
{
    return (mp_block_offset(address) | (uint32_t)MP_SHADOW_REGION_SIZE) >> (level & MP_BLOCK_LEVEL);
}

MP_INLINE uint32_t *
mp_block_slot(uint32_t *region, uintptr_t address, unsigned level)
{
    return &region[mp_block_index(address, level)];
}

/* Returns the index of slot NUMBER of the window of ADDRESS at LEVEL. Slot 0 is that of the granule of ADDRESS. */
MP_INLINE uint32_t
mp_block_window_index(uintptr_t address, unsigned level, uint32_t number)
{
    const uint32_t own = mp_block_index(address, level), last = (1u << MP_BLOCK_UNIT_BITS >> level) - 1;

    return (own & ~last) | ((own + number) & last);
}

/* Returns the number of slots of LEVEL in which a block of a unit with the state UNIT may be recorded. */
MP_INLINE uint32_t
mp_block_window_slots(uint32_t unit, unsigned level)
{
    return level == mp_block_windowed(unit) ? MP_BLOCK_WINDOW >> level : 1;
}

/* Returns the contents of the slot of BLOCK, which CELL counts. This function is its own inverse: if CELL is the
 * contents of the slot, it returns the cell. */
MP_INLINE uint32_t
mp_block_code(const void *block, uint32_t cell)
{
    return (uint32_t)((uintptr_t)block << MP_BLOCK_ADDRESS_SHIFT) ^ cell;
}

/* Returns the place of the sizes of the blocks in the slots of REGION, which is behind the states of the units. The
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
         MP_UNLIKELY((size | mp_block_distance) >> (unit & (MP_BLOCK_LEVEL | MP_BLOCK_SHARED)) == 0) ||
         (there == 0 && (MP_UNLIKELY((uintptr_t)slot % MP_BLOCK_PAGE < MP_BLOCK_PAGE_BEGINS) ||
                         MP_UNLIKELY(unit >= MP_BLOCK_SHARED)))))
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

/* Returns whether sizes were stored in REGION. */
MP_INLINE bool
mp_block_has_sizes(const uint32_t *region)
{
    return __atomic_load_n(mp_block_stored_sizes(region), __ATOMIC_ACQUIRE) != NULL;
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

/* Returns the mark that a free of BLOCK leaves at LEVEL in another slot of a shared unit than its own. */
MP_INLINE uint32_t
mp_block_displaced_mark(const void *block, unsigned level)
{
    return mp_block_code(block, level | MP_BLOCK_SHARED);
}

/* Returns whether THERE, read from a slot of a shared unit in the window of BLOCK, is a record of BLOCK. */
MP_INLINE bool
mp_block_is_record(const void *block, uint32_t there)
{
    return mp_block_code(block, there) - MP_BLOCK_MARKS < mp_block_cells - MP_BLOCK_MARKS;
}

/* Returns whether VALUE, read from a slot of a shared unit, is a mark. */
MP_INLINE bool
mp_block_is_mark(uint32_t value)
{
    return (value & mp_block_cells) < MP_BLOCK_MARKS;
}

/* Returns the first slot of LEVEL with a record of BLOCK in its window, or NULL. */
MP_INLINE uint32_t *
mp_block_in_window(uint32_t *region, const void *block, unsigned level)
{
    for (uint32_t i = 0; i < MP_BLOCK_WINDOW >> level; i++) {
        uint32_t *slot = &region[mp_block_window_index((uintptr_t)block, level, i)];

        if (mp_block_is_record(block, __atomic_load_n(slot, __ATOMIC_RELAXED)))
            return slot;
    }
    return NULL;
}

/* Records a small BLOCK with CELL in the first slot of its window that has no block. UNIT is the state of its unit, a
 * shared one. Returns the index of the slot in REGION. Returns 0 if nothing was done, because the window is full, has
 * slots that cannot be claimed yet, or a record of an earlier block at this address. */
MP_INLINE uint32_t
mp_block_claim(uint32_t *region, const void *block, uint32_t unit, uint32_t cell)
{
    const unsigned level = unit & MP_BLOCK_LEVEL;
    const uint32_t code = mp_block_code(block, cell), own = mp_block_index((uintptr_t)block, level);
    uint32_t mark = __atomic_load_n(&region[own], __ATOMIC_RELAXED);

    if (MP_LIKELY(mark < MP_BLOCK_MARKS) && MP_LIKELY(mark != 0) &&
        MP_LIKELY(__atomic_compare_exchange_n(&region[own], &mark, code, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)))
        return own;
    for (uint32_t i = 0; i < MP_BLOCK_WINDOW >> level; i++) {
        const uint32_t index = mp_block_window_index((uintptr_t)block, level, i);
        uint32_t there = __atomic_load_n(&region[index], __ATOMIC_RELAXED);

        if (there == 0)
            return 0;
        if (mp_block_is_mark(there) && __atomic_compare_exchange_n(&region[index], &there, code, 0, __ATOMIC_RELAXED,
                                                                   __ATOMIC_RELAXED)) {
            if (index == 0)
                __builtin_unreachable();
            return index;
        }
        if (MP_UNLIKELY(mp_block_is_record(block, there)))
            return 0;
    }
    return 0;
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

    if (MP_UNLIKELY(!(unit & MP_BLOCK_MIXED)) || MP_UNLIKELY(__atomic_load_n(&mp_block_beyond, __ATOMIC_RELAXED)) ||
        MP_UNLIKELY(__atomic_load_n(&entry->address, __ATOMIC_RELAXED) != 0))
        return false;
    for (uint32_t level = unit & MP_BLOCK_LEVEL; level <= MP_BLOCK_COARSEST; level++) {
        const uint32_t there = __atomic_load_n(mp_block_slot(region, (uintptr_t)block, level), __ATOMIC_RELAXED);

        if (MP_UNLIKELY(there >= MP_BLOCK_MARKS) &&
            (level != mp_block_windowed(unit) || mp_block_is_record(block, there)))
            return false;
    }
    mp_block_store_large(entry, block, (uint64_t)cell << 32 | size);
    return true;
}

/* Returns whether an old record that is not in the slots may be in the way of a new block of SIZE bytes at BLOCK. */
MP_INLINE bool
mp_block_has_outside(uint32_t *region, const void *block, size_t size)
{
    const uintptr_t large = __atomic_load_n(&mp_block_large(region, block)->address, __ATOMIC_RELAXED);

    return (size < MP_BLOCK_LARGE ? large == (uintptr_t)block : large != 0) ||
           __atomic_load_n(&mp_block_beyond, __ATOMIC_RELAXED);
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

/* Returns the slot in REGION where BLOCK is recorded if it is recorded in its own slot at the level of its unit. Stores
 * the cell in *CELL, and what to clear the slot with in *MARK. *CELL is valid only if it is the id of a cell, which the
 * caller must check. */
MP_INLINE uint32_t *
mp_block_find_small(uint32_t *region, const void *block, uint32_t *cell, uint32_t *mark)
{
    uint32_t *slot;

    *mark = (uint8_t)__atomic_load_n(mp_block_unit(region, (uintptr_t)block), __ATOMIC_RELAXED);
    slot = mp_block_slot(region, (uintptr_t)block, *mark);
    *cell = mp_block_code(block, __atomic_load_n(slot, __ATOMIC_RELAXED));
    return slot;
}

/* Returns the slot in REGION where BLOCK is recorded in the window of a shared unit, or NULL if there is none. Stores
 * the cell in *CELL, and what to clear the slot with in *MARK. The caller has found that the block is not in its own
 * slot. */
MP_INLINE uint32_t *
mp_block_find_displaced(uint32_t *region, const void *block, uint32_t *cell, uint32_t *mark)
{
    const uint32_t unit = __atomic_load_n(mp_block_unit(region, (uintptr_t)block), __ATOMIC_RELAXED);
    uint32_t *slot;

    if (!(unit & MP_BLOCK_SHARED) || !(slot = mp_block_in_window(region, block, unit & MP_BLOCK_LEVEL)))
        return NULL;
    *cell = mp_block_code(block, __atomic_load_n(slot, __ATOMIC_RELAXED));
    *mark = mp_block_displaced_mark(block, unit & MP_BLOCK_LEVEL);
    return slot;
}

/* Removes the record from SLOT and leaves MARK. */
MP_INLINE void
mp_block_clear(uint32_t *slot, uint32_t mark)
{
    __atomic_store_n(slot, mark, __ATOMIC_RELAXED);
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
