/*
 * data_file.h -- names of data files: the template of mprof run -o, and what may be overwritten.
 *
 * In a template %p is the process id, %e the base name of the program, %% a percent sign.
 */
#ifndef MP_DATA_FILE_H
#define MP_DATA_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"

#define MP_DEFAULT_FILE "mprof.data"

/* TEMPLATE as an absolute path, with % in the working directory doubled.  The caller frees it;
 * NULL and *ERROR: it holds an unknown %, or the working directory is gone. */
char *mp_data_file_template(const char *template, struct mp_error *error);

/* TEMPLATE for the process PID of PROGRAM.  The caller frees it. */
char *mp_data_file_expand(const char *template, uint32_t pid, const char *program);

/* Whether PATH may become a data file: its folder takes files, and what is there now is one. */
bool mp_data_file_check(const char *path, struct mp_error *error);

/* Whether PATH begins as a data file does. */
bool mp_data_file_is(const char *path);

/* The data files that this run, started at SINCE (ns since 1970), made from TEMPLATE. */
struct mp_data_file {
    char *path;
    uint32_t pid;               /* of the process that wrote it */
    bool first;                 /* named by the template itself, not FILE.PID */
};
struct mp_data_files {
    struct mp_data_file *files;
    uint32_t n;
};
void mp_data_files_find(const char *template, uint64_t since, struct mp_data_files *found);
void mp_data_files_free(struct mp_data_files *found);

#endif
