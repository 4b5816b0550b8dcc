#include "gzip.h"

#include <limits.h>

#include "reporter/base/arena.h"

#define GZIP_WINDOW (MAX_WBITS + 16)    /* for zlib: a gzip header, without a time */

void
mp_gzip_begin(struct mp_gzip *gzip, FILE *out)
{
    *gzip = (struct mp_gzip){.out = out};
    if (deflateInit2(&gzip->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, MAX_MEM_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        mp_no_memory();
}

/* Writes all available output to gzip->out. */
static void
drain(struct mp_gzip *gzip, int flush)
{
    unsigned char piece[16384];

    do {
        gzip->stream.next_out = piece;
        gzip->stream.avail_out = sizeof piece;
        deflate(&gzip->stream, flush);
        fwrite(piece, 1, sizeof piece - gzip->stream.avail_out, gzip->out);
    } while (gzip->stream.avail_out == 0);
}

void
mp_gzip_put(struct mp_gzip *gzip, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;

    while (size > 0) {
        uInt part = size < UINT_MAX ? (uInt)size : UINT_MAX;

        gzip->stream.next_in = (unsigned char *)at;
        gzip->stream.avail_in = part;
        drain(gzip, Z_NO_FLUSH);
        at += part;
        size -= part;
    }
}

void
mp_gzip_end(struct mp_gzip *gzip)
{
    drain(gzip, Z_FINISH);
    deflateEnd(&gzip->stream);
}
