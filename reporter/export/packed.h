/* packed.h -- a stream whose bytes are compressed on their way into another. */
#ifndef MP_EXPORT_PACKED_H
#define MP_EXPORT_PACKED_H

#include <stdio.h>

#include "reporter/base/error.h"

/* What is written to the stream goes to OUT, compressed as the ending of NAME says: .gz, .zst, or else as it is;
 * NULL: as it is.  fclose() it before OUT, whose errors are the caller's to ask for.  NULL and *ERROR: this mprof
 * was built without that. */
FILE *mp_packed_open(FILE *out, const char *name, struct mp_error *error);

#endif
