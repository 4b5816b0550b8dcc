/* compress.h -- an output stream that compresses what is written to it. Equal input always gives equal output. */
#ifndef MP_COMPRESS_H
#define MP_COMPRESS_H

#include <stdio.h>

#include "error.h"

/* Returns a stream that writes to OUT. If NAME, which may be NULL, ends in .gz (RFC 1952) or .zst, the output is
 * compressed. The caller closes the stream with fclose() before OUT, and checks OUT for errors. Returns NULL and fills
 * *ERROR if this mprof was built without the compression, which is possible for .zst only. */
FILE *mp_compress_open(FILE *out, const char *name, struct mp_error *error);

#endif
