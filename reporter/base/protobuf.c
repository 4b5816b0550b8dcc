/* SPDX-License-Identifier: MIT */
#include "protobuf.h"

#include "arena.h"

enum { WIRE_VARINT = 0, WIRE_FIXED64, WIRE_BYTES, WIRE_FIXED32 = 5 };

/* ---------------------------------------------------------------- reading */

static struct mp_piece
take_bytes(struct mp_cursor *cursor)
{
    uint64_t size = mp_cursor_varint(cursor);
    const uint8_t *bytes;

    if (size > mp_cursor_left(cursor)) {
        mp_cursor_fail(cursor, MP_ERR_TRUNCATED, "a field is longer than what follows");
        return (struct mp_piece){"", 0};
    }
    bytes = mp_cursor_bytes(cursor, (size_t)size);
    return bytes ? (struct mp_piece){(const char *)bytes, (size_t)size} : (struct mp_piece){"", 0};
}

bool
mp_proto_next(struct mp_cursor *cursor, struct mp_proto_field *field)
{
    uint64_t tag;

    if (cursor->problem || mp_cursor_left(cursor) == 0)
        return false;
    tag = mp_cursor_varint(cursor);
    *field = (struct mp_proto_field){
        .number = tag >> 3 <= UINT32_MAX ? (unsigned)(tag >> 3) : 0, .is_bytes = (tag & 7) == WIRE_BYTES,
        .bytes = {"", 0}};
    switch (tag & 7) {
    case WIRE_VARINT:
        field->value = mp_cursor_varint(cursor);
        break;
    case WIRE_FIXED64:
        field->value = mp_cursor_u64(cursor);
        break;
    case WIRE_BYTES:
        field->bytes = take_bytes(cursor);
        break;
    case WIRE_FIXED32:
        field->value = mp_cursor_u32(cursor);
        break;
    default:
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "a field of an unknown sort");
    }
    if (field->number == 0)
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "a field without a number");
    return !cursor->problem;
}

struct mp_cursor
mp_proto_inner(const struct mp_cursor *cursor, const struct mp_proto_field *field)
{
    const uint8_t *start = (const uint8_t *)field->bytes.text;
    struct mp_cursor inner;

    mp_cursor_init(&inner, start, field->bytes.size,
                   field->bytes.size > 0 ? cursor->base + (uint64_t)(start - cursor->start) : cursor->base);
    return inner;
}

void
mp_proto_leave(struct mp_cursor *cursor, const struct mp_cursor *inner)
{
    if (!inner->problem || cursor->problem)
        return;
    cursor->problem = inner->problem;
    cursor->code = inner->code;
    cursor->offset = inner->offset;
}

static void
add_number(struct mp_proto_numbers *numbers, uint64_t value)
{
    numbers->list = mp_arena_grow(numbers->arena, numbers->list, numbers->n, &numbers->room,
                                  sizeof *numbers->list);
    numbers->list[numbers->n++] = value;
}

void
mp_proto_collect(struct mp_cursor *cursor, const struct mp_proto_field *field,
                 struct mp_proto_numbers *numbers)
{
    struct mp_cursor inner;

    if (!field->is_bytes) {
        add_number(numbers, field->value);
        return;
    }
    inner = mp_proto_inner(cursor, field);
    while (!inner.problem && mp_cursor_left(&inner) > 0)
        add_number(numbers, mp_cursor_varint(&inner));
    mp_proto_leave(cursor, &inner);
}

/* ---------------------------------------------------------------- writing */

static void
put_tag(struct mp_buffer *buffer, unsigned field, unsigned wire)
{
    mp_buffer_varint(buffer, field << 3 | wire);
}

void
mp_proto_number(struct mp_buffer *buffer, unsigned field, uint64_t value)
{
    if (value == 0)
        return;
    put_tag(buffer, field, WIRE_VARINT);
    mp_buffer_varint(buffer, value);
}

static size_t
varint_size(uint64_t value)
{
    size_t size = 1;

    while (value >>= 7)
        size++;
    return size;
}

void
mp_proto_numbers(struct mp_buffer *buffer, unsigned field, const uint64_t values[], size_t n)
{
    size_t size = 0;

    for (size_t i = 0; i < n; i++)
        size += varint_size(values[i]);
    if (n == 0)
        return;
    put_tag(buffer, field, WIRE_BYTES);
    mp_buffer_varint(buffer, size);
    for (size_t i = 0; i < n; i++)
        mp_buffer_varint(buffer, values[i]);
}

void
mp_proto_message(struct mp_buffer *buffer, unsigned field, struct mp_buffer *message)
{
    put_tag(buffer, field, WIRE_BYTES);
    mp_buffer_varint(buffer, message->size);
    mp_buffer_bytes(buffer, message->bytes, message->size);
    message->size = 0;
}
