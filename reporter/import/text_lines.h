/* text_lines.h -- the lines of a text that may be packed, one after the other and never all at once. */
#ifndef MP_IMPORT_TEXT_LINES_H
#define MP_IMPORT_TEXT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reporter/base/error.h"

struct mp_text_lines;

/* Those of the SIZE BYTES, packed by gzip, zstd or not; the bytes must outlive it. */
struct mp_text_lines *mp_text_lines_new(const uint8_t *bytes, size_t size);
void mp_text_lines_free(struct mp_text_lines *lines);

/* The next line, *LENGTH bytes without its end, until the next call.  NULL: there is none, or something is wrong. */
const char *mp_text_lines_next(struct mp_text_lines *lines, size_t *length);

/* Where the last line began, in the text as it is not packed. */
uint64_t mp_text_lines_offset(const struct mp_text_lines *lines);

/* False and *ERROR, of a file NAME: that was not the whole text. */
bool mp_text_lines_ended(const struct mp_text_lines *lines, const char *name, struct mp_error *error);

#endif
