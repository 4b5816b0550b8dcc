/* SPDX-License-Identifier: MIT */
#include "file_blocks.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "reporter/base/arena.h"

#define SUM 4u                  /* bytes of the checksum */

void
mp_blocks_begin(struct mp_blocks *blocks, struct mp_input *input, uint64_t offset, uint32_t most, mp_unpack *unpack)
{
    *blocks = (struct mp_blocks){.input = input, .offset = offset, .most = most, .unpack = unpack};
    blocks->stored = mp_need(malloc(MP_BLOCK_HEAD + most + SUM));
    blocks->content = mp_need(malloc(most));
    mp_cursor_init(&blocks->cursor, blocks->content, 0, 0);
}

void
mp_blocks_end(struct mp_blocks *blocks)
{
    free(blocks->stored);
    free(blocks->content);
    blocks->stored = blocks->content = NULL;
}

bool
mp_blocks_damaged(const struct mp_blocks *blocks, struct mp_error *error)
{
    return mp_fail(error, MP_ERR_DAMAGED, blocks->offset, "%s: a block cannot be decompressed", blocks->input->name);
}

bool
mp_blocks_next(struct mp_blocks *blocks, struct mp_error *error)
{
    const char *name = blocks->input->name;
    const uint64_t at = blocks->offset;
    struct mp_cursor head, sum;
    uint32_t size, n;

    if (!mp_input_read(blocks->input, at, blocks->stored, MP_BLOCK_HEAD, error))
        return false;
    mp_cursor_init(&head, blocks->stored, MP_BLOCK_HEAD, at);
    size = mp_cursor_u32(&head);
    n = mp_cursor_u32(&head);
    if (size == 0 || size > blocks->most || n == 0 || n > size)
        return mp_fail(error, MP_ERR_DAMAGED, at, "%s: a block of %u bytes in %u", name, size, n);
    if (!mp_input_read(blocks->input, at + MP_BLOCK_HEAD, blocks->stored + MP_BLOCK_HEAD, (size_t)n + SUM, error))
        return false;
    mp_cursor_init(&sum, blocks->stored + MP_BLOCK_HEAD + n, SUM, at);
    if (crc32_z(0, blocks->stored, MP_BLOCK_HEAD + (size_t)n) != mp_cursor_u32(&sum))
        return mp_fail(error, MP_ERR_DAMAGED, at, "%s: wrong checksum", name);
    if (n == size)
        memcpy(blocks->content, blocks->stored + MP_BLOCK_HEAD, size);
    else if (!blocks->unpack(blocks, size, n, error))
        return false;
    mp_cursor_init(&blocks->cursor, blocks->content, size, at);
    blocks->offset = at + MP_BLOCK_HEAD + n + SUM;
    return true;
}
