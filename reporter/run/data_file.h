/*
 * data_file.h -- names of data files: the template of mprof run -o, and what may be overwritten.
 *
 * runtime/template.h says what a template is.
 */
#ifndef MP_DATA_FILE_H
#define MP_DATA_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "reporter/base/error.h"
#include "reporter/base/file_at.h"
#include "runtime/template.h"

/* TEMPLATE as an absolute path, with % in the working directory doubled.  The caller frees it;
 * NULL and *ERROR: it holds an unknown %, or the working directory is gone. */
char *mp_data_file_template(const char *template, struct mp_error *error);

/* What TEMPLATE stands for in the process PID of PROGRAM.  The caller frees it; NULL and *ERROR. */
char *mp_data_file_expand(const char *template, uint32_t pid, const char *program,
                          struct mp_error *error);

/* Returns PATH without the working directory, if it begins with that: a part of PATH. */
const char *mp_data_file_short(const char *path);

/* Whether PATH may become a data file: its folder takes files, and what is there now is one, in which
 * nobody records.  BESIDE: somebody may, because the monitor then makes a file beside it. */
bool mp_data_file_check(const char *path, bool beside, struct mp_error *error);

/* Make an empty file MADE, for a copy of the LIVE file, beside that, with the next name that is free.  The caller
 * closes it.  False and *ERROR. */
bool mp_data_file_snapshot(const struct mp_file_at *live, struct mp_file_at *made, struct mp_error *error);

/* Make an empty file MADE beside LIVE, whose name is that of LIVE with BEFORE, a number and AFTER behind it, the first
 * from *NUMBER on that is free; *NUMBER becomes that.  The same. */
bool mp_data_file_beside(const struct mp_file_at *live, const char *before, unsigned *number, const char *after,
                         struct mp_file_at *made, struct mp_error *error);

/* Whether PATH begins as a data file does. */
bool mp_data_file_is(const char *path);

#endif
