/*
 * cursor.h -- bytes of a file, taken one after the other and never beyond the end.
 *
 * A cursor that has failed stays so: the first thing that is not there or not allowed is
 * remembered with its place, and from then on every call gives 0, "" or NULL.  So a reader may
 * take a whole record and ask mp_cursor_error() at the end, provided that it bounds its loops by
 * mp_cursor_count(), which promises nothing that the bytes left cannot hold.
 */
#ifndef MP_CURSOR_H
#define MP_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

struct mp_cursor {
    const uint8_t *start, *at, *end;
    uint64_t base;              /* place of `start` in what the messages count from */
    const char *problem;        /* NULL: all is well; else what was wrong at `offset` */
    enum mp_error_code code;
    uint64_t offset;
};

void mp_cursor_init(struct mp_cursor *cursor, const uint8_t *bytes, size_t size, uint64_t base);

/* Fail at the present place (no effect if the cursor has failed already). */
void mp_cursor_fail(struct mp_cursor *cursor, enum mp_error_code code, const char *problem);

/* False and *ERROR ("NAME: WHAT: problem") if the cursor has failed. */
bool mp_cursor_error(const struct mp_cursor *cursor, const char *name, const char *what,
                     struct mp_error *error);

size_t mp_cursor_left(const struct mp_cursor *cursor);

/* SIZE bytes as they are, inside the cursor's own; NULL if there are fewer. */
const uint8_t *mp_cursor_bytes(struct mp_cursor *cursor, size_t size);

/* Little-endian, of fixed size. */
uint32_t mp_cursor_u32(struct mp_cursor *cursor);
uint64_t mp_cursor_u64(struct mp_cursor *cursor);

/* LEB128: seven bits a byte, the low ones first, bit 7 set in all but the last. */
uint64_t mp_cursor_varint(struct mp_cursor *cursor);
uint32_t mp_cursor_varint32(struct mp_cursor *cursor);

/* The same zigzag-coded: 0, -1, 1, -2 ... are 0, 1, 2, 3. */
int64_t mp_cursor_signed(struct mp_cursor *cursor);

/* A number below LIMIT. */
uint32_t mp_cursor_below(struct mp_cursor *cursor, uint32_t limit);

/* A number of things that take at least SIZE > 0 bytes each, all of which follow. */
uint32_t mp_cursor_count(struct mp_cursor *cursor, size_t size);

/* PREVIOUS plus a signed number: must be below LIMIT, or MP_NO_ID where NONE is allowed.
 * MP_NO_ID counts as -1. */
uint32_t mp_cursor_id(struct mp_cursor *cursor, uint32_t previous, uint32_t limit, bool none);

/* The bytes up to a NUL, which is passed over.  *LENGTH without it. */
const char *mp_cursor_string(struct mp_cursor *cursor, size_t *length);

#endif
