/* SPDX-License-Identifier: MIT */
/* text.h -- makes strings from files safe to print anywhere. */
#ifndef MP_TEXT_H
#define MP_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "arena.h"

/* A text of `size` bytes, which need not end with a NUL. */
struct mp_piece {
    const char *text;
    size_t size;
};

/* A text that is written to a stream. */
struct mp_text_stream {
    FILE *out;
    char *text;                 /* valid after mp_text_close() */
    size_t size;                /* its length */
};

/* Opens the stream and returns it. */
FILE *mp_text_open(struct mp_text_stream *stream);

/* Closes the stream. Returns the text, which ends with a NUL and may contain others. The caller frees it. */
char *mp_text_close(struct mp_text_stream *stream);

/* Closes the stream. Returns the text in ARENA. */
char *mp_text_close_in(struct mp_text_stream *stream, struct mp_arena *arena);

/* Returns a copy of LENGTH bytes in ARENA. Control characters (C0, DEL, C1) and bytes outside valid UTF-8 are
 * written as \xNN. Cleaning a clean text does not change it. */
const char *mp_text_clean(struct mp_arena *arena, const char *bytes, size_t length);

/* Does the same, but writes to the SIZE > 0 bytes at TO. Stops before the first character that does not fit.
 * Returns the number of bytes of BYTES that were converted. */
size_t mp_text_clean_into(char *to, size_t size, const char *bytes, size_t length);

/* Copies TEXT and its NUL to TO, which is before END, as far as it fits. Returns the address of the NUL, where
 * the next text can be appended. */
char *mp_text_put(char *to, const char *end, const char *text);

/* Does the same with SIZE BYTES, which it writes in hexadecimal. */
char *mp_text_put_hex(char *to, const char *end, const uint8_t *bytes, size_t size);

/* Prints TEXT cleaned as above. Texts from a reader are clean already; paths and arguments are not. */
void mp_text_print(FILE *out, const char *text);

/* Prints a line like fprintf(), cleaned as above but for the newline at its end. */
void mp_text_printf(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns in ARENA what mp_text_printf() prints. */
const char *mp_text_format(struct mp_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns the last component of PATH, as a pointer into PATH. */
const char *mp_text_basename(const char *path);

/* Prints TEXT as one would type it in a shell. Quotes it if necessary. Uses $'\033' (POSIX.1-2024) if it has
 * unprintable bytes. */
void mp_text_shell(FILE *out, const char *text);

/* Returns in ARENA what mp_text_shell() prints. */
const char *mp_text_in_shell(struct mp_arena *arena, const char *text);

/* Compares paths from their ends. Sets *COMPONENTS to the number of components at their ends that tells them apart. */
int mp_text_compare_ends(const char *a, const char *b, unsigned *components);

/* Returns the last COMPONENTS parts of PATH, at least one. */
const char *mp_text_tail(const char *path, unsigned components);

#endif
