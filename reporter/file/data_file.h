/* SPDX-License-Identifier: MIT */
/*
 * data_file.h -- names of data files: the template of mprof run -o, and which files may be overwritten.
 *
 * runtime/template.h defines templates.
 */
#ifndef MP_DATA_FILE_H
#define MP_DATA_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "reporter/base/error.h"
#include "reporter/base/file_at.h"
#include "runtime/template.h"

/* Returns TEMPLATE as an absolute path, in which each % of the working directory is doubled. The caller frees it.
 * Returns NULL and fills *ERROR if TEMPLATE has an unknown % or the working directory no longer exists. */
char *mp_data_file_template(const char *template, struct mp_error *error);

/* Expands TEMPLATE for process PID of PROGRAM. The caller frees the result. On failure returns NULL and fills
 * *ERROR. */
char *mp_data_file_expand(const char *template, uint32_t pid, const char *program,
                          struct mp_error *error);

/* Returns PATH without the working directory at its beginning, or PATH itself if it is elsewhere. The result points
 * into PATH. */
const char *mp_data_file_short(const char *path);

/* Checks that PATH may become a data file. Its directory must be writable, and an existing file must be a data file
 * that no process records in. If BESIDE, a process may record in it, because the monitor then creates a file beside
 * it. Returns false and fills *ERROR if PATH is refused. */
bool mp_data_file_check(const char *path, bool beside, struct mp_error *error);

/* Creates an empty file MADE beside LIVE for a copy of that live file, with the next unused name LIVE.snapshot.N. The
 * caller closes MADE. On failure returns false and fills *ERROR. */
bool mp_data_file_snapshot(const struct mp_file_at *live, struct mp_file_at *made, struct mp_error *error);

/* Creates an empty file MADE beside LIVE, named LIVE, BEFORE, a number and AFTER. Uses the first unused number from
 * *NUMBER on and stores it in *NUMBER. The caller closes MADE. On failure returns false and fills *ERROR. */
bool mp_data_file_beside(const struct mp_file_at *live, const char *before, unsigned *number, const char *after,
                         struct mp_file_at *made, struct mp_error *error);

/* Returns whether the file PATH begins with the magic number of a live or sealed data file. */
bool mp_data_file_is(const char *path);

/* Returns whether the file PATH begins with the magic number of a sealed data file. */
bool mp_data_file_is_sealed(const char *path);

#endif
