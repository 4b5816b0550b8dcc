/*
 * data_file.h -- names of data files: the template of mprof run -o, and what may be overwritten.
 *
 * In a template %p is the process id, %e the base name of the program, %% a percent sign.
 */
#ifndef MP_DATA_FILE_H
#define MP_DATA_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "reporter/base/error.h"

#define MP_DEFAULT_FILE "mprof.data"

/* TEMPLATE as an absolute path, with % in the working directory doubled.  The caller frees it;
 * NULL and *ERROR: it holds an unknown %, or the working directory is gone. */
char *mp_data_file_template(const char *template, struct mp_error *error);

/* TEMPLATE for the process PID of PROGRAM.  The caller frees it. */
char *mp_data_file_expand(const char *template, uint32_t pid, const char *program);

/* Whether PATH may become a data file: its folder takes files, and what is there now is one, in which
 * nobody records.  BESIDE: somebody may, because the monitor then makes a file beside it. */
bool mp_data_file_check(const char *path, bool beside, struct mp_error *error);

/* Whether PATH begins as a data file does. */
bool mp_data_file_is(const char *path);

/* The live files that the run RUN_ID made from TEMPLATE, or its processes began after those. */
struct mp_data_file {
    char *path;
    uint32_t pid;               /* of the process that wrote it */
    uint64_t start;             /* when recording began, ns, CLOCK_MONOTONIC */
    bool beside;                /* named FILE.PID, not by the template itself */
};
struct mp_data_files {
    struct mp_data_file *files;
    uint32_t n;
};
void mp_data_files_find(const char *template, const uint64_t run_id[2], struct mp_data_files *found);
void mp_data_files_free(struct mp_data_files *found);

#endif
