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
#define GZIP_WINDOW (MAX_WBITS + 16)    /* for zlib: a gzip header, without a time */

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

/* ---------------------------------------------------------------- gzip */

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

/* ---------------------------------------------------------------- zstd */

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

/* ---------------------------------------------------------------- any */

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
