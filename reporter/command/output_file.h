/* SPDX-License-Identifier: MIT */
/*
 * output_file.h -- the output of a command, which goes to the file named by -o or to standard output.
 *
 *     FILE *out = mp_output_begin(&output, path, inputs, error);
 *     ok = out && mp_output_end(&output, write_it(..., out, error), error);
 *
 * The content is collected in memory before the file is written, so an existing file stays as it was if anything
 * fails. Inputs of the command, recordings and heap snapshots are never replaced. Errors of standard output are
 * reported by main().
 */
#ifndef MP_COMMAND_OUTPUT_FILE_H
#define MP_COMMAND_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "reporter/base/error.h"
#include "reporter/base/text.h"

struct mp_output_file {
    const char *path;           /* output file; NULL for standard output */
    int folder;                 /* directory of a file whose name was made up, or -1 */
    struct mp_text_stream content;
};

/* Returns whether PATH, the value of an option or NULL, is standard output: NULL or "-". */
static inline bool
mp_output_is_standard(const char *path)
{
    return !path || strcmp(path, "-") == 0;
}

/* Returns the stream for the content of the file PATH, which may be standard output. INPUTS are the files that the
 * command reads, ending with NULL. Returns NULL and fills *ERROR if PATH must not be replaced. */
FILE *mp_output_begin(struct mp_output_file *output, const char *path, const char *const *inputs,
                      struct mp_error *error);

/* Does the same for a file whose name the user did not choose: the last component of PATH in the directory FOLDER. If
 * the file exists, it must be a regular file of this user. */
FILE *mp_output_begin_in(struct mp_output_file *output, int folder, const char *path, const char *const *inputs,
                         struct mp_error *error);

/* Writes the file if OK. Otherwise discards the content; *ERROR then has the reason already. Returns false and fills
 * *ERROR if the file was not written. */
bool mp_output_end(struct mp_output_file *output, bool ok, struct mp_error *error);

#endif
