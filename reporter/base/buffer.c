/* SPDX-License-Identifier: MIT */
#include "buffer.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "map.h"

#define MOST_OF_VARINT  10u     /* maximum number of bytes of a number */

void
mp_buffer_free(struct mp_buffer *buffer)
{
    free(buffer->bytes);
    *buffer = (struct mp_buffer){0};
}

static void
make_room(struct mp_buffer *buffer, size_t size)
{
    size_t room = buffer->room ? buffer->room : 256;

    if (size <= buffer->room - buffer->size)
        return;
    while (room - buffer->size < size && room <= SIZE_MAX / 4)
        room *= 2;
    buffer->bytes = mp_need(room - buffer->size < size ? NULL : realloc(buffer->bytes, room));
    buffer->room = room;
}

void
mp_buffer_bytes(struct mp_buffer *buffer, const void *bytes, size_t size)
{
    if (size == 0)
        return;
    make_room(buffer, size);
    memcpy(buffer->bytes + buffer->size, bytes, size);
    buffer->size += size;
}

void
mp_buffer_base64(struct mp_buffer *buffer, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < size; i += 3) {
        const size_t n = size - i < 3 ? size - i : 3;
        const unsigned all = (unsigned)bytes[i] << 16 | (n > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
                             (n > 2 ? bytes[i + 2] : 0);
        const char four[4] = {digits[all >> 18], digits[all >> 12 & 63], n > 1 ? digits[all >> 6 & 63] : '=',
                              n > 2 ? digits[all & 63] : '='};

        mp_buffer_bytes(buffer, four, sizeof four);
    }
}

static void
put_fixed(struct mp_buffer *buffer, uint64_t value, unsigned size)
{
    uint8_t bytes[8];

    for (unsigned i = 0; i < size; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
    mp_buffer_bytes(buffer, bytes, size);
}

void
mp_buffer_u32(struct mp_buffer *buffer, uint32_t value)
{
    put_fixed(buffer, value, 4);
}

void
mp_buffer_u64(struct mp_buffer *buffer, uint64_t value)
{
    put_fixed(buffer, value, 8);
}

void
mp_buffer_varint(struct mp_buffer *buffer, uint64_t value)
{
    if (buffer->room - buffer->size < MOST_OF_VARINT)
        make_room(buffer, MOST_OF_VARINT);
    for (; value >= 0x80; value >>= 7)
        buffer->bytes[buffer->size++] = (uint8_t)(value | 0x80);
    buffer->bytes[buffer->size++] = (uint8_t)value;
}

void
mp_buffer_signed(struct mp_buffer *buffer, int64_t value)
{
    mp_buffer_varint(buffer, ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0));
}

void
mp_buffer_id(struct mp_buffer *buffer, uint32_t *previous, uint32_t id)
{
    int64_t from = *previous == MP_NO_ID ? -1 : (int64_t)*previous;
    int64_t to = id == MP_NO_ID ? -1 : (int64_t)id;

    mp_buffer_signed(buffer, to - from);
    *previous = id;
}
