/* SPDX-License-Identifier: MIT */
/*
 * file_blocks.h -- reads content that a file has in blocks, as snapshots of heaps and logs do. A block is complete
 * and its checksum verified before the caller sees it.
 *
 *   byte 0   size of the content   u32, little-endian as every number here; not 0
 *        4   stored size           u32
 *        8   the content           compressed unless both sizes are equal
 *            CRC-32                u32, of all bytes of the block before it
 */
#ifndef MP_READ_BLOCKS_H
#define MP_READ_BLOCKS_H

#include "input.h"
#include "reporter/base/cursor.h"

struct mp_blocks;

/* Decompresses the content of the current block, SIZE bytes that are stored as N. Returns false and fills *ERROR if
 * that is impossible. */
typedef bool mp_unpack(struct mp_blocks *blocks, uint32_t size, uint32_t n, struct mp_error *error);

struct mp_blocks {
    struct mp_input *input;     /* owned by the caller */
    uint64_t offset;            /* offset of the next block in the file */
    uint32_t most;              /* maximum size of the content of a block, in bytes */
    mp_unpack *unpack;
    uint8_t *stored, *content;  /* buffers for the current block: as stored in the file; decompressed, with `most`
                                   bytes */
    struct mp_cursor cursor;    /* over the content of the current block */
};

#define MP_BLOCK_HEAD 8u        /* bytes before the content */

/* Begins to read at OFFSET of INPUT. BLOCKS->cursor is at its end. */
void mp_blocks_begin(struct mp_blocks *blocks, struct mp_input *input, uint64_t offset, uint32_t most,
                     mp_unpack *unpack);
void mp_blocks_end(struct mp_blocks *blocks);

/* Reads the next block. Returns false and fills *ERROR if it is damaged or incomplete. */
bool mp_blocks_next(struct mp_blocks *blocks, struct mp_error *error);

/* Fills *ERROR because the current block cannot be decompressed. Returns false. For functions of type mp_unpack. */
bool mp_blocks_damaged(const struct mp_blocks *blocks, struct mp_error *error);

#endif
