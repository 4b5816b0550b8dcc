/*
 * output_file.h -- what a command writes to the file that -o names, or to standard output.
 *
 *     FILE *out = mp_output_begin(&output, path, inputs, error);
 *     ok = out && mp_output_end(&output, write_it(..., out, error), error);
 *
 * A file is made whole in memory before it is there, and what -o names stays as it was if anything fails.
 * A file that the command reads, a recording and a snapshot of a heap are never replaced.
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

/* Returns where to write the content of the file PATH; NULL or "-" is standard output.  Returns NULL and fills *ERROR
 * if PATH may not be replaced.  INPUTS are the files that the command reads, with NULL behind the last. */
FILE *mp_output_begin(struct mp_output_file *output, const char *path, const char *const *inputs,
                      struct mp_error *error);

/* All is written, if OK, and *ERROR says why if not: then there is no file.  False and *ERROR: there is none,
 * for that or another reason. */
bool mp_output_end(struct mp_output_file *output, bool ok, struct mp_error *error);

#endif
