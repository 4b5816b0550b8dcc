/*
 * program.h -- whether a program can be preloaded, said before it starts.
 *
 * The dynamic linker drops LD_PRELOAD for set-user-id programs, is not there at all in static
 * ones, and cannot load a library of another machine.
 */
#ifndef MP_PROGRAM_H
#define MP_PROGRAM_H

#include <stdbool.h>

#include "reporter/base/error.h"

/* Exit statuses of env(1). */
enum { MP_EXIT_CANNOT_RUN = 126, MP_EXIT_NOT_FOUND = 127 };

/* Find NAME as execvp(3) does.  The caller frees the path.  NULL: *ERROR and the exit *STATUS. */
char *mp_program_find(const char *name, int *status, struct mp_error *error);

/* Whether libmprof.so can be preloaded into PATH, or into its interpreter if it is a script. */
bool mp_program_check(const char *path, struct mp_error *error);

#endif
