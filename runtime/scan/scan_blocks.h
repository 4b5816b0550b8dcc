/*
 * scan_blocks.h -- malloc's live blocks, from the block table, in the order of their addresses.
 *
 * For a small block, the table has only the granule in which it begins (block_table.h). A granule of glibc's malloc
 * has two possible places. The right one is found by the sizes that glibc stores before its blocks, which lead from
 * a block with a known place to the next one.
 *
 * Used in a copy of the process (snapshot_copy.h), so there is no lock.
 */
#ifndef MP_SCAN_BLOCKS_H
#define MP_SCAN_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scan_memory.h"

struct mp_scan_block {
    uintptr_t address;
    uint64_t size;              /* bytes that were asked for */
    uint32_t context;           /* of the present recording; 0 if the block was made before it */
    uint32_t site;              /* used by the writer */
};

struct mp_scan_blocks {
    struct mp_scan_block *list; /* in ascending order; no block overlaps the next one */
    size_t n, room;
};

/* Returns whether the allocator is glibc's malloc, which stores the size of each chunk before its block. */
bool mp_scan_has_chunks(void);

/* Returns the bytes of the chunk whose block begins at BLOCK, including the chunk's head. Returns 0 if there is no
 * valid size. Sets *MAPPED if the chunk is a mapping of its own. */
uint64_t mp_scan_chunk(struct mp_scan_memory *memory, uintptr_t block, bool *mapped);

/* Finds all blocks. Returns false if there is no memory. */
bool mp_scan_blocks_find(struct mp_scan_blocks *blocks);

/* Returns the block that contains ADDRESS, or an empty block that begins at ADDRESS, or else NULL. */
const struct mp_scan_block *mp_scan_blocks_at(const struct mp_scan_blocks *blocks, uintptr_t address);

/* Returns the first block that ends above ADDRESS, or NULL. */
const struct mp_scan_block *mp_scan_blocks_above(const struct mp_scan_blocks *blocks, uintptr_t address);

#endif
