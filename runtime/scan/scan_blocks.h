/* SPDX-License-Identifier: MIT */
/*
 * scan_blocks.h -- malloc's live blocks, from the block table, in the order of their addresses.
 *
 * Used in a copy of the process (snapshot_copy.h), which has one thread and needs no lock.
 */
#ifndef MP_SCAN_BLOCKS_H
#define MP_SCAN_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scan_memory.h"

struct mp_scan_block {
    uintptr_t address;
    uint64_t size;              /* requested bytes */
    uint32_t context;           /* context in the present recording; 0 if the block is older than the recording */
    uint32_t site;              /* number of the site in the snapshot; set by scan.c */
};

struct mp_scan_blocks {
    struct mp_scan_block *list; /* in ascending order; no block overlaps the next one */
    size_t n, room;
};

/* Returns whether the allocator is glibc's malloc, which stores the size of each chunk before its block. */
bool mp_scan_has_chunks(void);

/* Returns the size in bytes of the chunk whose block begins at BLOCK, including the chunk's head. Returns 0 if
 * there is no valid size. Sets *MAPPED to whether the chunk is a mapping of its own. */
uint64_t mp_scan_chunk(struct mp_scan_memory *memory, uintptr_t block, bool *mapped);

/* Finds all blocks. Returns false if there is no memory. */
bool mp_scan_blocks_find(struct mp_scan_blocks *blocks);

/* Returns the block that contains ADDRESS, or an empty block that begins at ADDRESS, or else NULL. */
const struct mp_scan_block *mp_scan_blocks_at(const struct mp_scan_blocks *blocks, uintptr_t address);

/* Returns the first block that ends above ADDRESS, or NULL. */
const struct mp_scan_block *mp_scan_blocks_above(const struct mp_scan_blocks *blocks, uintptr_t address);

#endif
