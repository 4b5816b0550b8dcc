/* SPDX-License-Identifier: MIT */
/*
 * cursor.h -- reads the bytes of a file in order and never beyond the end.
 *
 * The first missing or invalid byte makes a cursor fail. It remembers the problem and its offset, and all later
 * calls return 0, "" or NULL. So a reader may read a whole record first and then ask mp_cursor_error(). It must
 * bound its loops by mp_cursor_count(), which never returns more items than the remaining bytes can hold.
 */
#ifndef MP_CURSOR_H
#define MP_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

struct mp_cursor {
    const uint8_t *start, *at, *end;
    uint64_t base;              /* offset of `start`, as counted in messages */
    const char *problem;        /* what was wrong at `offset`, or NULL if nothing failed */
    enum mp_error_code code;
    uint64_t offset;
};

void mp_cursor_init(struct mp_cursor *cursor, const uint8_t *bytes, size_t size, uint64_t base);

/* Fails at the present offset. Does nothing if the cursor has already failed. */
void mp_cursor_fail(struct mp_cursor *cursor, enum mp_error_code code, const char *problem);

/* Returns false and fills *ERROR ("NAME: WHAT: problem") if the cursor has failed. */
bool mp_cursor_error(const struct mp_cursor *cursor, const char *name, const char *what,
                     struct mp_error *error);

size_t mp_cursor_left(const struct mp_cursor *cursor);

/* Returns a pointer to the next SIZE bytes in the buffer, or NULL if there are fewer. */
const uint8_t *mp_cursor_bytes(struct mp_cursor *cursor, size_t size);

/* Read little-endian numbers of fixed size. */
uint32_t mp_cursor_u32(struct mp_cursor *cursor);
uint64_t mp_cursor_u64(struct mp_cursor *cursor);

/* Read LEB128 numbers: seven bits a byte, low bits first, bit 7 set in all bytes but the last. */
uint64_t mp_cursor_varint(struct mp_cursor *cursor);
uint32_t mp_cursor_varint32(struct mp_cursor *cursor);

/* Reads a zigzag-coded LEB128 number: 0, 1, 2, 3 ... are 0, -1, 1, -2 ... */
int64_t mp_cursor_signed(struct mp_cursor *cursor);

/* Reads a number, which must be less than LIMIT. */
uint32_t mp_cursor_below(struct mp_cursor *cursor, uint32_t limit);

/* Reads the number of items that follow. Fails if they do not fit, each taking at least SIZE > 0 bytes. */
uint32_t mp_cursor_count(struct mp_cursor *cursor, size_t size);

/* Reads a signed difference and adds it to PREVIOUS. The result must be less than LIMIT, or MP_NO_ID if NONE.
 * MP_NO_ID is encoded as -1. */
uint32_t mp_cursor_id(struct mp_cursor *cursor, uint32_t previous, uint32_t limit, bool none);

/* Reads the bytes up to a NUL and passes over it. *LENGTH does not count the NUL. */
const char *mp_cursor_string(struct mp_cursor *cursor, size_t *length);

#endif
