/* SPDX-License-Identifier: MIT */
#include "cursor.h"

#include <string.h>

#include "map.h"

void
mp_cursor_init(struct mp_cursor *cursor, const uint8_t *bytes, size_t size, uint64_t base)
{
    *cursor = (struct mp_cursor){.start = bytes, .at = bytes, .end = bytes + size, .base = base};
}

void
mp_cursor_fail(struct mp_cursor *cursor, enum mp_error_code code, const char *problem)
{
    if (!cursor->problem) {
        cursor->problem = problem;
        cursor->code = code;
        cursor->offset = cursor->base + (uint64_t)(cursor->at - cursor->start);
    }
    cursor->at = cursor->end;
}

bool
mp_cursor_error(const struct mp_cursor *cursor, const char *name, const char *what,
                struct mp_error *error)
{
    if (!cursor->problem)
        return true;
    return mp_fail(error, cursor->code, cursor->offset, "%s: %s: %s", name, what,
                   cursor->problem);
}

size_t
mp_cursor_left(const struct mp_cursor *cursor)
{
    return (size_t)(cursor->end - cursor->at);
}

const uint8_t *
mp_cursor_bytes(struct mp_cursor *cursor, size_t size)
{
    const uint8_t *bytes = cursor->at;

    if (mp_cursor_left(cursor) < size)
        mp_cursor_fail(cursor, MP_ERR_TRUNCATED, "bytes are missing");
    if (cursor->problem)
        return NULL;
    cursor->at += size;
    return bytes;
}

static uint64_t
fixed(struct mp_cursor *cursor, unsigned size)
{
    const uint8_t *bytes = mp_cursor_bytes(cursor, size);
    uint64_t value = 0;

    if (!bytes)
        return 0;
    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

uint32_t
mp_cursor_u32(struct mp_cursor *cursor)
{
    return (uint32_t)fixed(cursor, 4);
}

uint64_t
mp_cursor_u64(struct mp_cursor *cursor)
{
    return fixed(cursor, 8);
}

uint64_t
mp_cursor_varint(struct mp_cursor *cursor)
{
    const uint8_t *at = cursor->at;
    uint64_t value = 0;

    for (unsigned shift = 0; at < cursor->end; shift += 7) {
        uint8_t byte = *at++;

        if (shift == 63 && byte > 1)
            break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            cursor->at = at;
            return value;
        }
    }
    if (at == cursor->end)
        mp_cursor_fail(cursor, MP_ERR_TRUNCATED, "a number is missing");
    else
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "a number does not fit into 64 bits");
    return 0;
}

uint32_t
mp_cursor_below(struct mp_cursor *cursor, uint32_t limit)
{
    const uint8_t *start = cursor->at;
    uint64_t value = mp_cursor_varint(cursor);

    if (value < limit)
        return (uint32_t)value;
    cursor->at = start;
    mp_cursor_fail(cursor, MP_ERR_DAMAGED, "a number is out of range");
    return 0;
}

uint32_t
mp_cursor_varint32(struct mp_cursor *cursor)
{
    const uint8_t *start = cursor->at;
    uint64_t value = mp_cursor_varint(cursor);

    if (value <= UINT32_MAX)
        return (uint32_t)value;
    cursor->at = start;
    mp_cursor_fail(cursor, MP_ERR_DAMAGED, "a number does not fit into 32 bits");
    return 0;
}

int64_t
mp_cursor_signed(struct mp_cursor *cursor)
{
    uint64_t value = mp_cursor_varint(cursor);

    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

uint32_t
mp_cursor_count(struct mp_cursor *cursor, size_t size)
{
    const uint8_t *start = cursor->at;
    uint64_t count = mp_cursor_varint(cursor);

    if (count <= mp_cursor_left(cursor) / size && count < MP_NO_ID)
        return (uint32_t)count;
    cursor->at = start;
    mp_cursor_fail(cursor, MP_ERR_DAMAGED, "a count is larger than what follows");
    return 0;
}

uint32_t
mp_cursor_id(struct mp_cursor *cursor, uint32_t previous, uint32_t limit, bool none)
{
    const uint8_t *start = cursor->at;
    int64_t delta = mp_cursor_signed(cursor), id;

    if (!__builtin_add_overflow(previous == MP_NO_ID ? -1 : (int64_t)previous, delta, &id)) {
        if (id >= 0 && id < limit)
            return (uint32_t)id;
        if (id == -1 && none)
            return MP_NO_ID;
    }
    cursor->at = start;
    mp_cursor_fail(cursor, MP_ERR_DAMAGED, "a cross-reference leads nowhere");
    return 0;
}

const char *
mp_cursor_string(struct mp_cursor *cursor, size_t *length)
{
    const char *text = (const char *)cursor->at;
    const uint8_t *end = NULL;

    if (!cursor->problem)
        end = memchr(cursor->at, 0, mp_cursor_left(cursor));
    if (!end) {
        mp_cursor_fail(cursor, MP_ERR_TRUNCATED, "a string has no end");
        *length = 0;
        return "";
    }
    *length = (size_t)(end - cursor->at);
    cursor->at = end + 1;
    return text;
}
