/*
 * proto.h -- Protocol Buffers' encoding, as much of it as profile.proto needs.
 *
 * Each puts one field into BUFFER: its number, its wire type, and what it holds.  A number that is 0 takes
 * no bytes, as proto3 has it.
 */
#ifndef MP_EXPORT_PROTO_H
#define MP_EXPORT_PROTO_H

#include "reporter/base/buffer.h"

/* Numbers, of which negative ones take ten bytes, and truth values. */
void mp_proto_number(struct mp_buffer *buffer, unsigned field, uint64_t value);

/* The same one after the other, N of them, zeros too. */
void mp_proto_numbers(struct mp_buffer *buffer, unsigned field, const uint64_t values[], size_t n);

/* A message, or a text, and all else that is bytes: those in MESSAGE, which is empty then. */
void mp_proto_message(struct mp_buffer *buffer, unsigned field, struct mp_buffer *message);

#endif
