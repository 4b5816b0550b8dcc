/* gzip.h -- compresses a stream (RFC 1952). Equal input always gives equal output. */
#ifndef MP_EXPORT_GZIP_H
#define MP_EXPORT_GZIP_H

#include <stdio.h>
#include <zlib.h>

struct mp_gzip {
    z_stream stream;
    FILE *out;                  /* the caller checks it for errors */
};

void mp_gzip_begin(struct mp_gzip *gzip, FILE *out);
void mp_gzip_put(struct mp_gzip *gzip, const void *bytes, size_t size);
void mp_gzip_end(struct mp_gzip *gzip);

#endif
