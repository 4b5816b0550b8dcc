/* SPDX-License-Identifier: MIT */
#include "scan_blocks.h"

#include <string.h>

#include "runtime/record/block_table.h"
#include "runtime/store/store.h"
#include "runtime/system/sys.h"

#define GLIBC_GRANULE 32u
#define LEAST_CHUNK   32u
#define CHUNK_FLAGS   ((uint64_t)7)     /* mask of the flags in the word with the chunk's size */
#define CHUNK_MAPPED  ((uint64_t)2)     /* flag of a chunk that is a mapping of its own */
#define MOST_CHUNK    ((uint64_t)1 << 40)

/* ------------------------------------------------------------------ chunks */

bool
mp_scan_has_chunks(void)
{
    return mp_block_shadow.shift == (unsigned)__builtin_ctz(GLIBC_GRANULE);
}

uint64_t
mp_scan_chunk(struct mp_scan_memory *memory, uintptr_t block, bool *mapped)
{
    uint64_t word, size;

    if (!mp_scan_word(memory, block - sizeof word, &word))
        return 0;
    size = word & ~CHUNK_FLAGS;
    *mapped = word & CHUNK_MAPPED;
    return size >= LEAST_CHUNK && size % 16 == 0 && size < MOST_CHUNK ? size : 0;
}

/* ------------------------------------------------------------------ the table */

static uint32_t
context_of(uint32_t cell)
{
    return cell >= mp_store.first_cell ? mp_store.cells[cell].context : 0;
}

static bool
add(struct mp_scan_blocks *blocks, uintptr_t address, uint64_t size, uint32_t cell)
{
    struct mp_scan_block *last = blocks->n > 0 ? &blocks->list[blocks->n - 1] : NULL;

    if (blocks->n == blocks->room) {
        size_t room = blocks->room ? 2 * blocks->room : 4096;
        struct mp_scan_block *list = mp_sys_map(room * sizeof *list);

        if (!list)
            return false;
        if (blocks->list) {
            memcpy(list, blocks->list, blocks->n * sizeof *list);
            mp_sys_unmap(blocks->list, blocks->room * sizeof *list);
        }
        last = blocks->n > 0 ? &list[blocks->n - 1] : NULL;
        blocks->list = list;
        blocks->room = room;
    }
    /* A block whose free was not recorded may still be in the table although this block is in its place. */
    if (last && last->address + last->size > address)
        last->size = address - last->address;
    blocks->list[blocks->n++] = (struct mp_scan_block){ address, size, context_of(cell), 0 };
    return true;
}

static bool
add_large(struct mp_scan_blocks *blocks, const struct mp_large_block *entry)
{
    uint64_t size = (uint32_t)entry->record;

    if (size == MP_SHADOW_HUGE)
        size = mp_shadow_find_huge(entry->address, false);
    return add(blocks, entry->address, size, (uint32_t)(entry->record >> 32));
}

/* Adds the small blocks of REGION that begin in the granule of 2^LEVEL bytes at ADDRESS, in ascending order. If the
 * granule's unit is mixed, searches the slots of coarser levels, too. Returns false if there is no memory. */
static bool
add_small(struct mp_scan_blocks *blocks, uint32_t *region, uintptr_t address, unsigned level)
{
    const uintptr_t end = address + ((uintptr_t)1 << level);
    const unsigned last = *mp_block_unit(region, address) & MP_BLOCK_MIXED ? MP_BLOCK_COARSEST : level;
    uintptr_t from = address;
    bool found = true, ok = true;

    while (found && ok) {
        uintptr_t first = end, at;
        uint64_t record = 0, there;

        for (unsigned k = level; k <= last; k++) {
            there = mp_block_read(region, from, first, k, false, &at);
            if (there) {
                first = at;
                record = there;
            }
        }
        found = record != 0;
        if (found)
            ok = add(blocks, first, (uint32_t)record, (uint32_t)(record >> 32));
        from = first + 1;
    }
    return ok;
}

/* Adds the blocks of REGION, for the heap at START. Returns false if there is no memory. */
static bool
walk(struct mp_scan_blocks *blocks, uint32_t *region, uintptr_t start)
{
    bool ok = true;

    for (uintptr_t at = start; at < start + MP_SHADOW_REGION_SIZE && ok;) {
        const struct mp_large_block *large = mp_block_large(region, (const void *)at);
        const unsigned level = *mp_block_unit(region, at) & MP_BLOCK_LEVEL;
        const unsigned step = level < MP_BLOCK_COARSEST ? level : MP_BLOCK_COARSEST;
        const uintptr_t end = at + ((uintptr_t)1 << step);

        if (large->address >= at && large->address < end)
            ok = add_large(blocks, large);
        else if (level <= MP_BLOCK_COARSEST)
            ok = add_small(blocks, region, at, level);
        at = end;
    }
    return ok;
}

bool
mp_scan_blocks_find(struct mp_scan_blocks *blocks)
{
    uintptr_t above = 0;
    bool more = true;

    *blocks = (struct mp_scan_blocks){0};
    while (more) {              /* find the next region by address; regions are few and unsorted */
        struct mp_shadow_walk step = {0};
        uint32_t *region, *next = NULL;
        uintptr_t lowest = UINTPTR_MAX;

        while ((region = mp_shadow_next(&mp_block_shadow, &step)))
            if (step.address >= above && step.address < lowest) {
                lowest = step.address;
                next = region;
            }
        more = next != NULL;
        if (next && !walk(blocks, next, lowest))
            return false;
        above = lowest + MP_SHADOW_REGION_SIZE;
    }
    return true;
}

/* ------------------------------------------------------------------ looking up */

/* Returns the number of blocks that begin at or below ADDRESS. */
static size_t
count_below(const struct mp_scan_blocks *blocks, uintptr_t address)
{
    size_t low = 0, high = blocks->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (blocks->list[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct mp_scan_block *
mp_scan_blocks_at(const struct mp_scan_blocks *blocks, uintptr_t address)
{
    size_t n;
    const struct mp_scan_block *block;

    if (blocks->n == 0 || address < blocks->list[0].address)
        return NULL;
    n = count_below(blocks, address);
    block = &blocks->list[n - 1];
    return address - block->address < block->size || address == block->address ? block : NULL;
}

const struct mp_scan_block *
mp_scan_blocks_above(const struct mp_scan_blocks *blocks, uintptr_t address)
{
    size_t n = count_below(blocks, address);

    if (n > 0 && blocks->list[n - 1].address + blocks->list[n - 1].size > address)
        return &blocks->list[n - 1];
    return n < blocks->n ? &blocks->list[n] : NULL;
}
