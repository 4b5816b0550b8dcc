/*
 * output_file.h -- what a command writes to the file that -o names, or to standard output.
 *
 *     FILE *out = mp_output_begin(&output, path);
 *     ok = mp_output_end(&output, write_it(..., out, error), error);
 *
 * A file is made whole in memory before it is there, and what -o names stays as it was if anything fails.
 * Of standard output main() says what went wrong.
 */
#ifndef MP_COMMAND_OUTPUT_FILE_H
#define MP_COMMAND_OUTPUT_FILE_H

#include <stdio.h>

#include "reporter/base/error.h"

struct mp_output_file {
    const char *path;           /* NULL: standard output */
    FILE *memory;
    char *bytes;
    size_t size;
};

/* Where to write what is to be in the file PATH; NULL or "-": standard output. */
FILE *mp_output_begin(struct mp_output_file *output, const char *path);

/* All is written, if OK, and *ERROR says why if not: then there is no file.  False and *ERROR: there is none,
 * for that or another reason. */
bool mp_output_end(struct mp_output_file *output, bool ok, struct mp_error *error);

#endif
