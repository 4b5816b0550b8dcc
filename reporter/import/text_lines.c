/* SPDX-License-Identifier: MIT */
#include "text_lines.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/base/arena.h"
#include "reporter/base/compress.h"
#include "reporter/base/progress.h"

#define PIECE ((size_t)64 << 10)        /* number of bytes decompressed at once */
#define MOST_LINE ((size_t)16 << 20)    /* names of C++ functions may be long */

struct mp_text_lines {
    struct mp_unpacking *unpacking;
    size_t whole;               /* number of bytes before decompression */
    const char *problem;        /* error message, or NULL */
    enum mp_error_code code;
    char *text;                 /* decompressed text: `at` of `end` bytes have been returned as lines */
    size_t at, end, room;
    uint64_t offset, next;      /* offsets of the last returned line and of the next one in the decompressed text */
};

static void
fail(struct mp_text_lines *lines, enum mp_error_code code, const char *problem)
{
    if (lines->problem)
        return;
    lines->code = code;
    lines->problem = problem;
}

struct mp_text_lines *
mp_text_lines_new(const uint8_t *bytes, size_t size)
{
    struct mp_text_lines *lines = mp_need(calloc(1, sizeof *lines));

    lines->unpacking = mp_unpack_begin(bytes, size);
    lines->whole = size;
    return lines;
}

void
mp_text_lines_free(struct mp_text_lines *lines)
{
    mp_unpack_end(lines->unpacking);
    free(lines->text);
    free(lines);
}

/* Appends decompressed text to the buffer. Returns false at the end or on errors. */
static bool
fill(struct mp_text_lines *lines)
{
    enum mp_error_code code;
    const char *problem;
    size_t got = 0;

    if (lines->at > 0)
        memmove(lines->text, lines->text + lines->at, lines->end - lines->at);
    lines->end -= lines->at;
    lines->at = 0;
    if (lines->end > MOST_LINE)
        fail(lines, MP_ERR_DAMAGED, "a line without end");
    if (lines->room < lines->end + PIECE) {
        lines->room = 2 * (lines->end + PIECE);
        lines->text = mp_need(realloc(lines->text, lines->room));
    }
    if (!lines->problem)
        got = mp_unpack(lines->unpacking, lines->text + lines->end, PIECE);
    if ((problem = mp_unpack_problem(lines->unpacking, &code)) != NULL)
        fail(lines, code, problem);
    lines->end += got;
    mp_progress(lines->whole - mp_unpack_left(lines->unpacking), lines->whole);
    return got > 0 && !lines->problem;
}

const char *
mp_text_lines_next(struct mp_text_lines *lines, size_t *length)
{
    size_t seen = 0;
    const char *line, *end;

    while (seen == lines->end - lines->at ||
           (end = memchr(lines->text + lines->at + seen, '\n', lines->end - lines->at - seen)) == NULL) {
        seen = lines->end - lines->at;
        if (fill(lines))
            continue;
        if (mp_unpack_within(lines->unpacking) || seen > 0)
            fail(lines, MP_ERR_TRUNCATED, "");
        return NULL;
    }
    line = lines->text + lines->at;
    *length = (size_t)(end - line);
    lines->at += *length + 1;
    lines->offset = lines->next;
    lines->next += *length + 1;
    return line;
}

uint64_t
mp_text_lines_offset(const struct mp_text_lines *lines)
{
    return lines->offset;
}

bool
mp_text_lines_ended(const struct mp_text_lines *lines, const char *name, struct mp_error *error)
{
    if (!lines->problem)
        return true;
    return mp_fail(error, lines->code, MP_NO_OFFSET, "%s%s%s", name, lines->problem[0] ? ": " : "",
                   lines->problem);
}
