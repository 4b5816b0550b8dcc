#include "scan_blocks.h"

#include <string.h>

#include "runtime/record/block_table.h"
#include "runtime/store/store.h"
#include "runtime/system/sys.h"

#define GLIBC_GRANULE 32u
#define LEAST_CHUNK   32u
#define CHUNK_FLAGS   ((uint64_t)7)     /* mask of the flags in the word with the chunk's size */
#define CHUNK_MAPPED  ((uint64_t)2)     /* flag of a chunk that is a mapping of its own */
#define MOST_HOPS     4096u             /* maximum number of chunks between a block and the next one in the table */
#define MOST_CHUNK    ((uint64_t)1 << 40)

/* ------------------------------------------------------------------ places in granules */

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

static uint64_t
chunk_size(struct mp_scan_memory *memory, uintptr_t block)
{
    bool mapped;

    return mp_scan_chunk(memory, block, &mapped);
}

/* Returns whether a block of SIZE bytes can begin at BLOCK. Its chunk must be large enough, and the next chunk must
 * have the mark that the previous one is in use. */
static bool
is_plausible(struct mp_scan_memory *memory, uintptr_t block, uint64_t size)
{
    uint64_t chunk = chunk_size(memory, block), next;

    return chunk && size + 8 <= chunk && mp_scan_word(memory, block + chunk - 8, &next) && (next & 1) &&
           (next & ~CHUNK_FLAGS) >= 16;
}

/* Returns the beginning of the block of SIZE bytes in the granule at GRANULE. *NEXT is a lower address at which a
 * block is known to begin, or 0. Sets *NEXT to the result. */
static uintptr_t
place_of(struct mp_scan_memory *memory, uintptr_t granule, uint64_t size, uintptr_t *next)
{
    uintptr_t at = *next, place;

    for (unsigned i = 0; at && at < granule && i < MOST_HOPS; i++) {
        uint64_t chunk = chunk_size(memory, at);

        at = chunk ? at + chunk : 0;
    }
    if (at == granule || at == granule + 16)
        place = at;
    else
        place = is_plausible(memory, granule + 16, size) && !is_plausible(memory, granule, size) ? granule + 16
                                                                                               : granule;
    *next = place;
    return place;
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
    /* A block that was freed unseen may still be in the table, with another one in its place. */
    if (last && last->address + last->size > address)
        last->size = address - last->address;
    blocks->list[blocks->n++] = (struct mp_scan_block){ address, size, context_of(cell), 0 };
    return true;
}

/* Adds the small block that SLOT, of the granule at GRANULE, describes. Returns false if there is no memory. */
static bool
add_small(struct mp_scan_blocks *blocks, struct mp_scan_memory *memory, const uint32_t *slot, uintptr_t granule,
          uintptr_t *next)
{
    uint32_t size = *slot >> MP_BLOCK_CELL_BITS;

    if (!mp_block_is_used(*slot) || *slot >= MP_BLOCK_NEXT)
        return true;
    if (size > MP_BLOCK_ONE_SLOT)
        size = slot[1] - MP_BLOCK_NEXT;
    if (size >= MP_BLOCK_LARGE)         /* another thread was changing it when the copy was made */
        return true;
    if (mp_scan_has_chunks())
        granule = place_of(memory, granule, size, next);
    return add(blocks, granule, size, *slot & MP_BLOCK_CELL);
}

static bool
add_large(struct mp_scan_blocks *blocks, const struct mp_large_block *entry, uintptr_t *next)
{
    uint64_t size = (uint32_t)entry->record;

    if (size == MP_SHADOW_HUGE)
        size = mp_shadow_find_huge(entry->address, false);
    *next = entry->address;
    return add(blocks, entry->address, size, (uint32_t)(entry->record >> 32));
}

/* Adds the blocks of REGION, whose memory begins at START. Returns false if there is no memory. */
static bool
walk(struct mp_scan_blocks *blocks, struct mp_scan_memory *memory, uint32_t *region, uintptr_t start)
{
    const struct mp_large_block *large = (const struct mp_large_block *)region - MP_BLOCK_LARGES;
    const uintptr_t granule = (uintptr_t)1 << mp_block_shadow.shift;
    uintptr_t next = 0;
    bool ok = true;

    for (size_t i = 0; i < MP_BLOCK_LARGES && ok; i++) {
        const uintptr_t end = start + (i + 1) * MP_BLOCK_LARGE;
        uintptr_t pending = large[i].address;

        for (uintptr_t at = end - MP_BLOCK_LARGE; at < end && ok; at += granule) {
            if (pending && pending < at + granule) {
                ok = add_large(blocks, &large[i], &next);
                pending = 0;
            } else {
                ok = add_small(blocks, memory, mp_block_slot(region, (void *)at), at, &next);
            }
        }
    }
    return ok;
}

bool
mp_scan_blocks_find(struct mp_scan_blocks *blocks, struct mp_scan_memory *memory)
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
        if (next && !walk(blocks, memory, next, lowest))
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
