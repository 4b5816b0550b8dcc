#include "proto.h"

enum { WIRE_VARINT = 0, WIRE_BYTES = 2 };

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
    buffer->failed |= message->failed;
    message->size = 0;
}
