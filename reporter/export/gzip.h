/* gzip.h -- a stream of bytes, compressed on its way (RFC 1952); the same bytes always become the same file. */
#ifndef MP_EXPORT_GZIP_H
#define MP_EXPORT_GZIP_H

#include <stdio.h>
#include <zlib.h>

struct mp_gzip {
    z_stream stream;
    FILE *out;                  /* whose errors are the caller's to ask for */
};

void mp_gzip_begin(struct mp_gzip *gzip, FILE *out);
void mp_gzip_put(struct mp_gzip *gzip, const void *bytes, size_t size);
void mp_gzip_end(struct mp_gzip *gzip);

#endif
