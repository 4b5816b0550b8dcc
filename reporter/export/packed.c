#include "packed.h"

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "config.h"
#include "gzip.h"
#include "reporter/base/arena.h"
#ifdef MP_HAVE_ZSTD
#include <zstd.h>

#define PIECE ((size_t)64 << 10)
#endif

struct packed {
    FILE *out;
    struct mp_gzip gzip;
#ifdef MP_HAVE_ZSTD
    ZSTD_CStream *zstd;
    unsigned char piece[PIECE];
#endif
};

/* ---------------------------------------------------------------- gzip */

static ssize_t
write_gzip(void *cookie, const char *bytes, size_t size)
{
    struct packed *packed = cookie;

    mp_gzip_put(&packed->gzip, bytes, size);
    return (ssize_t)size;
}

static int
close_gzip(void *cookie)
{
    struct packed *packed = cookie;

    mp_gzip_end(&packed->gzip);
    free(packed);
    return 0;
}

static FILE *
open_gzip(struct packed *packed)
{
    const cookie_io_functions_t functions = {.write = write_gzip, .close = close_gzip};

    mp_gzip_begin(&packed->gzip, packed->out);
    return mp_need(fopencookie(packed, "w", functions));
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
    const cookie_io_functions_t functions = {.write = write_zstd, .close = close_zstd};

    packed->zstd = mp_need(ZSTD_createCStream());
    return mp_need(fopencookie(packed, "w", functions));
}
#endif

/* ---------------------------------------------------------------- neither */

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

static FILE *
open_plain(struct packed *packed)
{
    const cookie_io_functions_t functions = {.write = write_plain, .close = close_plain};

    return mp_need(fopencookie(packed, "w", functions));
}

static bool
ends_in(const char *name, const char *ending)
{
    size_t length = strlen(name), n = strlen(ending);

    return length > n && strcmp(name + length - n, ending) == 0;
}

FILE *
mp_packed_open(FILE *out, const char *name, struct mp_error *error)
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
    return name && ends_in(name, ".gz") ? open_gzip(packed) : open_plain(packed);
}
