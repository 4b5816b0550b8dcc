/* SPDX-License-Identifier: MIT */
/* buffer.h -- a growing buffer of bytes, written in the encodings that cursor.h reads. */
#ifndef MP_BUFFER_H
#define MP_BUFFER_H

#include <stddef.h>
#include <stdint.h>

/* All zeros is an empty buffer. */
struct mp_buffer {
    uint8_t *bytes;             /* malloc()ed */
    size_t size, room;
};

void mp_buffer_free(struct mp_buffer *buffer);

void mp_buffer_bytes(struct mp_buffer *buffer, const void *bytes, size_t size);
void mp_buffer_u32(struct mp_buffer *buffer, uint32_t value);
void mp_buffer_u64(struct mp_buffer *buffer, uint64_t value);
void mp_buffer_varint(struct mp_buffer *buffer, uint64_t value);
void mp_buffer_signed(struct mp_buffer *buffer, int64_t value);

/* Writes the SIZE BYTES in base64, padded (RFC 4648). */
void mp_buffer_base64(struct mp_buffer *buffer, const uint8_t *bytes, size_t size);

/* Writes ID, for mp_cursor_id(), as the difference to *PREVIOUS. Sets *PREVIOUS to ID. */
void mp_buffer_id(struct mp_buffer *buffer, uint32_t *previous, uint32_t id);

#endif
