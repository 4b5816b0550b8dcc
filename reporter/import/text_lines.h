/* SPDX-License-Identifier: MIT */
/* text_lines.h -- reads the lines of a text one after the other, decompressing it piecewise. */
#ifndef MP_IMPORT_TEXT_LINES_H
#define MP_IMPORT_TEXT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reporter/base/error.h"

struct mp_text_lines;

/* Starts reading SIZE BYTES, compressed by gzip, zstd or not at all. The bytes must outlive the result. */
struct mp_text_lines *mp_text_lines_new(const uint8_t *bytes, size_t size);
void mp_text_lines_free(struct mp_text_lines *lines);

/* Returns the next line, *LENGTH bytes without the newline, valid until the next call. Returns NULL at the end and on
 * errors. */
const char *mp_text_lines_next(struct mp_text_lines *lines, size_t *length);

/* Returns the offset of the last line in the uncompressed text. */
uint64_t mp_text_lines_offset(const struct mp_text_lines *lines);

/* Returns true if the text was read to its end without an error. Else returns false and sets *ERROR, with NAME as the
 * file's name. */
bool mp_text_lines_ended(const struct mp_text_lines *lines, const char *name, struct mp_error *error);

#endif
