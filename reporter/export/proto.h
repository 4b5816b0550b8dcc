/*
 * proto.h -- the part of the Protocol Buffers encoding that profile.proto needs.
 *
 * Each function adds one field to BUFFER: its number, wire type, and value.
 */
#ifndef MP_EXPORT_PROTO_H
#define MP_EXPORT_PROTO_H

#include "reporter/base/buffer.h"

/* Adds a number or a boolean. Negative numbers take ten bytes. 0 is not written, as in proto3. */
void mp_proto_number(struct mp_buffer *buffer, unsigned field, uint64_t value);

/* Adds N numbers as a packed field, including zeros. Adds nothing if N is 0. */
void mp_proto_numbers(struct mp_buffer *buffer, unsigned field, const uint64_t values[], size_t n);

/* Adds the bytes of MESSAGE, which are a message or a text, and clears MESSAGE. */
void mp_proto_message(struct mp_buffer *buffer, unsigned field, struct mp_buffer *message);

#endif
