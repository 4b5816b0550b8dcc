#include "text_lines.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "config.h"
#include "reporter/base/arena.h"
#include "reporter/base/progress.h"
#ifdef MP_HAVE_ZSTD
#include <zstd.h>
#endif

#define PIECE ((size_t)64 << 10)        /* number of bytes decompressed at once */
#define MOST_LINE ((size_t)16 << 20)    /* names of C++ functions may be long */
#define GZIP_WINDOW (MAX_WBITS + 16)

enum packing { PLAIN, GZIP, ZSTD };

struct mp_text_lines {
    const uint8_t *bytes;       /* not decompressed yet */
    size_t size, whole;         /* their number, initially `whole` */
    enum packing packing;
    z_stream gzip;
#ifdef MP_HAVE_ZSTD
    ZSTD_DStream *zstd;
#endif
    bool within;                /* whether a gzip member or zstd frame is incomplete */
    const char *problem;        /* error message, or NULL */
    enum mp_error_code code;
    char *text;                 /* decompressed text: `at` of `end` bytes have been returned as lines */
    size_t at, end, room;
    uint64_t offset, next;      /* of the last and of the next line, in the decompressed text */
};

static enum packing
packing_of(const uint8_t *bytes, size_t size)
{
    if (size >= 2 && memcmp(bytes, "\x1f\x8b", 2) == 0)
        return GZIP;
    return size >= 4 && memcmp(bytes, "\x28\xb5\x2f\xfd", 4) == 0 ? ZSTD : PLAIN;
}

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

    lines->bytes = bytes;
    lines->size = lines->whole = size;
    lines->packing = packing_of(bytes, size);
    if (lines->packing == GZIP && inflateInit2(&lines->gzip, GZIP_WINDOW) != Z_OK)
        mp_no_memory();
#ifdef MP_HAVE_ZSTD
    if (lines->packing == ZSTD)
        lines->zstd = mp_need(ZSTD_createDStream());
#else
    if (lines->packing == ZSTD)
        fail(lines, MP_ERR_SYSTEM, "packed by zstd, without which this mprof was built");
#endif
    return lines;
}

void
mp_text_lines_free(struct mp_text_lines *lines)
{
    if (lines->packing == GZIP)
        inflateEnd(&lines->gzip);
#ifdef MP_HAVE_ZSTD
    ZSTD_freeDStream(lines->zstd);
#endif
    free(lines->text);
    free(lines);
}

/* ---------------------------------------------------------------- unpacking */

/* Each function writes up to ROOM bytes of text to TO. Returns the number of bytes written, or 0 at the end. */

static size_t
take_plain(struct mp_text_lines *lines, char *to, size_t room)
{
    size_t size = lines->size < room ? lines->size : room;

    memcpy(to, lines->bytes, size);
    lines->bytes += size;
    lines->size -= size;
    return size;
}

static size_t
take_gzip(struct mp_text_lines *lines, char *to, size_t room)
{
    z_stream *gzip = &lines->gzip;
    size_t given = lines->size < UINT_MAX ? lines->size : UINT_MAX, taken;
    int result;

    if (!lines->within && lines->size > 0 && inflateReset(gzip) != Z_OK)
        fail(lines, MP_ERR_DAMAGED, "gzip");
    lines->within |= lines->size > 0;
    gzip->next_in = (uint8_t *)(uintptr_t)lines->bytes;
    gzip->avail_in = (uInt)given;
    gzip->next_out = (uint8_t *)to;
    gzip->avail_out = (uInt)room;
    result = lines->within ? inflate(gzip, Z_NO_FLUSH) : Z_BUF_ERROR;
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
        fail(lines, MP_ERR_DAMAGED, "not packed as gzip would have");
    if (result == Z_STREAM_END)
        lines->within = false;
    taken = given - gzip->avail_in;
    lines->bytes += taken;
    lines->size -= taken;
    return room - gzip->avail_out;
}

static size_t
take_zstd(struct mp_text_lines *lines, char *to, size_t room)
{
#ifdef MP_HAVE_ZSTD
    ZSTD_inBuffer in = {lines->bytes, lines->size, 0};
    ZSTD_outBuffer out = {to, room, 0};
    size_t result = ZSTD_decompressStream(lines->zstd, &out, &in);

    if (ZSTD_isError(result))
        fail(lines, MP_ERR_DAMAGED, "not packed as zstd would have");
    else if (in.pos > 0 || out.pos > 0)
        lines->within = result != 0;
    lines->bytes += in.pos;
    lines->size -= in.pos;
    return out.pos;
#else
    (void)lines, (void)to, (void)room;
    return 0;
#endif
}

/* Appends decompressed text to the buffer. Returns false at the end or on errors. */
static bool
fill(struct mp_text_lines *lines)
{
    static size_t (*const take[])(struct mp_text_lines *lines, char *to, size_t room) = {
        take_plain, take_gzip, take_zstd};
    size_t got = 0, before;

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
    do {                        /* compressed bytes may decompress to nothing */
        before = lines->size;
        if (!lines->problem)
            got = take[lines->packing](lines, lines->text + lines->end, PIECE);
    } while (got == 0 && !lines->problem && lines->size < before);
    lines->end += got;
    mp_progress(lines->whole - lines->size, lines->whole);
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
        if (lines->within || seen > 0)
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
