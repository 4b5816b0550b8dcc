/* SPDX-License-Identifier: MIT */
/* protobuf.h -- reads and writes messages of Protocol Buffers, as far as profile.proto needs. */
#ifndef MP_PROTOBUF_H
#define MP_PROTOBUF_H

#include "buffer.h"
#include "cursor.h"
#include "text.h"

/* ---------------------------------------------------------------- reading */

struct mp_proto_field {
    unsigned number;
    bool is_bytes;              /* true for text, a message or packed numbers; false for a number */
    uint64_t value;
    struct mp_piece bytes;       /* points into the cursor's bytes */
};

/* Reads the next field. Returns false at the end of the message or if the cursor has failed. */
bool mp_proto_next(struct mp_cursor *cursor, struct mp_proto_field *field);

/* Returns a cursor over the message in FIELD, which was read from CURSOR. */
struct mp_cursor mp_proto_inner(const struct mp_cursor *cursor, const struct mp_proto_field *field);

/* Copies an error of INNER to CURSOR. */
void mp_proto_leave(struct mp_cursor *cursor, const struct mp_cursor *inner);

/* Repeated numbers, which are packed into one field or have one field each. */
struct mp_proto_numbers {
    uint64_t *list;
    uint32_t n, room;
    struct mp_arena *arena;     /* not owned */
};

/* Adds the numbers of FIELD, which was read from CURSOR. */
void mp_proto_collect(struct mp_cursor *cursor, const struct mp_proto_field *field, struct mp_proto_numbers *numbers);

/* ---------------------------------------------------------------- writing */

/* Each function adds one field to BUFFER: its number, wire type, and value. */

/* Adds a number or a boolean. Negative numbers take ten bytes. 0 is not written, as in proto3. */
void mp_proto_number(struct mp_buffer *buffer, unsigned field, uint64_t value);

/* Adds N numbers as a packed field, including zeros. Adds nothing if N is 0. */
void mp_proto_numbers(struct mp_buffer *buffer, unsigned field, const uint64_t values[], size_t n);

/* Adds the bytes of MESSAGE, which are a message or a text, and clears MESSAGE. */
void mp_proto_message(struct mp_buffer *buffer, unsigned field, struct mp_buffer *message);

#endif
