/* packed.h -- an output stream that compresses what is written to it. */
#ifndef MP_EXPORT_PACKED_H
#define MP_EXPORT_PACKED_H

#include <stdio.h>

#include "reporter/base/error.h"

/* Returns a stream that writes to OUT. If NAME ends in .gz or .zst, the output is compressed; NAME may be NULL. The
 * caller closes the stream with fclose() before OUT, and checks OUT for errors. Returns NULL and fills *ERROR if this
 * mprof was built without the compression. */
FILE *mp_packed_open(FILE *out, const char *name, struct mp_error *error);

#endif
