/* SPDX-License-Identifier: MIT */
#include "compress.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <zlib.h>

#include "arena.h"
#include "config.h"
#ifdef MP_HAVE_ZSTD
#include <zstd.h>
#endif

#define PIECE ((size_t)64 << 10)
#define GZIP_WINDOW (MAX_WBITS + 16)    /* for zlib: a gzip header, written without a time */

struct packed {
    FILE *out;
    z_stream gzip;
#ifdef MP_HAVE_ZSTD
    ZSTD_CStream *zstd;
#endif
    unsigned char piece[PIECE];
};

static FILE *
open_stream(struct packed *packed, cookie_write_function_t *write, cookie_close_function_t *close)
{
    return mp_need(fopencookie(packed, "w", (cookie_io_functions_t){.write = write, .close = close}));
}

/* ---------------------------------------------------------------- writing gzip */

/* Compresses the input of packed->gzip, and writes the output. */
static void
deflate_all(struct packed *packed, int flush)
{
    do {
        packed->gzip.next_out = packed->piece;
        packed->gzip.avail_out = PIECE;
        deflate(&packed->gzip, flush);
        fwrite(packed->piece, 1, PIECE - packed->gzip.avail_out, packed->out);
    } while (packed->gzip.avail_out == 0);
}

static ssize_t
write_gzip(void *cookie, const char *bytes, size_t size)
{
    struct packed *packed = cookie;

    for (size_t at = 0, part; at < size; at += part) {
        part = size - at < UINT_MAX ? size - at : UINT_MAX;
        packed->gzip.next_in = (unsigned char *)(uintptr_t)(bytes + at);
        packed->gzip.avail_in = (uInt)part;
        deflate_all(packed, Z_NO_FLUSH);
    }
    return (ssize_t)size;
}

static int
close_gzip(void *cookie)
{
    struct packed *packed = cookie;

    packed->gzip.avail_in = 0;
    deflate_all(packed, Z_FINISH);
    deflateEnd(&packed->gzip);
    free(packed);
    return 0;
}

static FILE *
open_gzip(struct packed *packed)
{
    if (deflateInit2(&packed->gzip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, MAX_MEM_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        mp_no_memory();
    return open_stream(packed, write_gzip, close_gzip);
}

/* ---------------------------------------------------------------- writing zstd */

#ifdef MP_HAVE_ZSTD
static void
squeeze(struct packed *packed, ZSTD_inBuffer *in, ZSTD_EndDirective end)
{
    size_t left;

    do {
        ZSTD_outBuffer out = {packed->piece, PIECE, 0};

        left = ZSTD_compressStream2(packed->zstd, &out, in, end);
        if (ZSTD_isError(left))         /* streams in memory fail only if there is no memory */
            mp_no_memory();
        fwrite(packed->piece, 1, out.pos, packed->out);
    } while (end == ZSTD_e_end ? left > 0 : in->pos < in->size);
}

static ssize_t
write_zstd(void *cookie, const char *bytes, size_t size)
{
    ZSTD_inBuffer in = {bytes, size, 0};

    squeeze(cookie, &in, ZSTD_e_continue);
    return (ssize_t)size;
}

static int
close_zstd(void *cookie)
{
    struct packed *packed = cookie;
    ZSTD_inBuffer in = {"", 0, 0};

    squeeze(packed, &in, ZSTD_e_end);
    ZSTD_freeCStream(packed->zstd);
    free(packed);
    return 0;
}

static FILE *
open_zstd(struct packed *packed)
{
    packed->zstd = mp_need(ZSTD_createCStream());
    return open_stream(packed, write_zstd, close_zstd);
}
#endif

/* ---------------------------------------------------------------- writing */

static ssize_t
write_plain(void *cookie, const char *bytes, size_t size)
{
    struct packed *packed = cookie;

    fwrite(bytes, 1, size, packed->out);
    return (ssize_t)size;
}

static int
close_plain(void *cookie)
{
    free(cookie);
    return 0;
}

static bool
ends_in(const char *name, const char *ending)
{
    size_t length = strlen(name), n = strlen(ending);

    return length > n && strcmp(name + length - n, ending) == 0;
}

FILE *
mp_compress_open(FILE *out, const char *name, struct mp_error *error)
{
    struct packed *packed;
    bool zstd = name && ends_in(name, ".zst");

#ifndef MP_HAVE_ZSTD
    if (zstd) {
        mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: this mprof was built without zstd", name);
        return NULL;
    }
#else
    (void)error;
#endif
    packed = mp_need(calloc(1, sizeof *packed));
    packed->out = out;
#ifdef MP_HAVE_ZSTD
    if (zstd)
        return open_zstd(packed);
#endif
    if (name && ends_in(name, ".gz"))
        return open_gzip(packed);
    return open_stream(packed, write_plain, close_plain);
}

/* ---------------------------------------------------------------- reading */

enum packing { PLAIN, GZIP, ZSTD };

struct mp_unpacking {
    const uint8_t *bytes;       /* not decompressed yet */
    size_t size;                /* their number */
    enum packing packing;
    z_stream gzip;
#ifdef MP_HAVE_ZSTD
    ZSTD_DStream *zstd;
#endif
    bool within;                /* whether a gzip member or zstd frame is incomplete */
    const char *problem;        /* error message, or NULL */
    enum mp_error_code code;
};

static enum packing
packing_of(const uint8_t *bytes, size_t size)
{
    if (size >= 2 && memcmp(bytes, "\x1f\x8b", 2) == 0)
        return GZIP;
    return size >= 4 && memcmp(bytes, "\x28\xb5\x2f\xfd", 4) == 0 ? ZSTD : PLAIN;
}

static void
fail(struct mp_unpacking *u, enum mp_error_code code, const char *problem)
{
    u->code = code;
    u->problem = problem;
}

struct mp_unpacking *
mp_unpack_begin(const uint8_t *bytes, size_t size)
{
    struct mp_unpacking *u = mp_need(calloc(1, sizeof *u));

    u->bytes = bytes;
    u->size = size;
    u->packing = packing_of(bytes, size);
    if (u->packing == GZIP && inflateInit2(&u->gzip, GZIP_WINDOW) != Z_OK)
        mp_no_memory();
#ifdef MP_HAVE_ZSTD
    if (u->packing == ZSTD)
        u->zstd = mp_need(ZSTD_createDStream());
#else
    if (u->packing == ZSTD)
        fail(u, MP_ERR_SYSTEM, "packed by zstd, without which this mprof was built");
#endif
    return u;
}

void
mp_unpack_end(struct mp_unpacking *u)
{
    if (u->packing == GZIP)
        inflateEnd(&u->gzip);
#ifdef MP_HAVE_ZSTD
    ZSTD_freeDStream(u->zstd);
#endif
    free(u);
}

static size_t
take_plain(struct mp_unpacking *u, void *to, size_t room)
{
    size_t size = u->size < room ? u->size : room;

    memcpy(to, u->bytes, size);
    u->bytes += size;
    u->size -= size;
    return size;
}

/* Decompresses all members of a file. Zeros behind a member are padding, which gzip(1) accepts as well. */
static size_t
take_gzip(struct mp_unpacking *u, void *to, size_t room)
{
    z_stream *gzip = &u->gzip;
    size_t given = u->size < UINT_MAX ? u->size : UINT_MAX, taken;
    int result;

    if (!u->within) {
        if (u->size == 0 || *u->bytes == 0)
            return 0;
        if (inflateReset(gzip) != Z_OK)
            fail(u, MP_ERR_DAMAGED, "cannot be unpacked");
    }
    u->within = true;
    gzip->next_in = (uint8_t *)(uintptr_t)u->bytes;
    gzip->avail_in = (uInt)given;
    gzip->next_out = to;
    gzip->avail_out = room < UINT_MAX ? (uInt)room : UINT_MAX;
    room = gzip->avail_out;
    result = inflate(gzip, Z_NO_FLUSH);
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
        fail(u, MP_ERR_DAMAGED, "not packed as gzip would have");
    if (result == Z_STREAM_END)
        u->within = false;
    taken = given - gzip->avail_in;
    u->bytes += taken;
    u->size -= taken;
    return room - gzip->avail_out;
}

static size_t
take_zstd(struct mp_unpacking *u, void *to, size_t room)
{
#ifdef MP_HAVE_ZSTD
    ZSTD_inBuffer in = {u->bytes, u->size, 0};
    ZSTD_outBuffer out = {to, room, 0};
    size_t result = ZSTD_decompressStream(u->zstd, &out, &in);

    if (ZSTD_isError(result))
        fail(u, MP_ERR_DAMAGED, "not packed as zstd would have");
    else if (in.pos > 0 || out.pos > 0)
        u->within = result != 0;
    u->bytes += in.pos;
    u->size -= in.pos;
    return out.pos;
#else
    (void)u, (void)to, (void)room;
    return 0;
#endif
}

size_t
mp_unpack(struct mp_unpacking *u, void *to, size_t room)
{
    static size_t (*const take[])(struct mp_unpacking *u, void *to, size_t room) = {take_plain, take_gzip, take_zstd};
    size_t got = 0, before;

    do {                        /* some compressed bytes, such as headers, contain no data */
        before = u->size;
        if (!u->problem)
            got = take[u->packing](u, to, room);
    } while (got == 0 && !u->problem && u->size < before);
    return got;
}

size_t
mp_unpack_left(const struct mp_unpacking *u)
{
    return u->size;
}

bool
mp_unpack_within(const struct mp_unpacking *u)
{
    return u->within;
}

const char *
mp_unpack_problem(const struct mp_unpacking *u, enum mp_error_code *code)
{
    *code = u->code;
    return u->problem;
}
