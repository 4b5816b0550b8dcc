/*
 * scan_blocks.h -- the blocks of malloc's that live, as the object table has them, in the order of their addresses.
 *
 * Of a small block the table says only in which granule it begins (block_table.h).  Granules of glibc's malloc have
 * two places for that; there the sizes that it keeps before its blocks tell which it is: from a block whose place is
 * known they lead to the next one.
 *
 * For a copy of the process (snapshot_copy.h): no lock.
 */
#ifndef MP_SCAN_BLOCKS_H
#define MP_SCAN_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scan_memory.h"

struct mp_scan_block {
    uintptr_t address;
    uint64_t size;              /* that was asked for */
    uint32_t context;           /* of the present recording; 0: made before it */
    uint32_t site;              /* for the writer */
};

struct mp_scan_blocks {
    struct mp_scan_block *list; /* ascending; none reaches into the next one */
    size_t n, room;
};

/* Is the allocator glibc's malloc, which keeps the size of each chunk before its block? */
bool mp_scan_has_chunks(void);

/* Bytes of the chunk whose block begins at BLOCK, its head included; 0: what stands there is no chunk's size.
 * *MAPPED: the chunk is a mapping of its own. */
uint64_t mp_scan_chunk(struct mp_scan_memory *memory, uintptr_t block, bool *mapped);

/* Find them.  False: no memory. */
bool mp_scan_blocks_find(struct mp_scan_blocks *blocks, struct mp_scan_memory *memory);

/* The block that ADDRESS is of: its beginning, a byte of it, or, of one of no bytes, its beginning; NULL: none. */
const struct mp_scan_block *mp_scan_blocks_at(const struct mp_scan_blocks *blocks, uintptr_t address);

/* The first block that ends above ADDRESS; NULL: none. */
const struct mp_scan_block *mp_scan_blocks_above(const struct mp_scan_blocks *blocks, uintptr_t address);

#endif
