/* SPDX-License-Identifier: MIT */
/*
 * preloadable.h -- checks before the start whether libmprof.so can be preloaded into a program.
 *
 * The dynamic linker ignores LD_PRELOAD in set-user-id programs, does not exist in static ones, and cannot load a
 * library for another machine.
 */
#ifndef MP_RUN_PROGRAM_H
#define MP_RUN_PROGRAM_H

#include <stdbool.h>
#include <sys/types.h>

#include "reporter/base/error.h"

/* Exit statuses of env(1). */
enum { MP_EXIT_CANNOT_RUN = 126, MP_EXIT_NOT_FOUND = 127 };

/* Searches NAME like execvp(3). Returns the path, which the caller frees. On failure returns NULL, fills *ERROR and
 * sets the exit *STATUS. */
char *mp_program_find(const char *name, int *status, struct mp_error *error);

/* Returns whether libmprof.so can be preloaded into PATH, or into its interpreter if PATH is a script. Fills *ERROR
 * if not. Its code is MP_ERR_SANITIZED if PATH can be run, but only without libmprof.so. */
bool mp_program_check(const char *path, struct mp_error *error);

/* Does what mp_program_check() does, for the program that is open as FD, has NAME, and is started by USER and GROUP.
 * Any thread may call it. */
bool mp_program_check_open(int fd, const char *name, uid_t user, gid_t group, struct mp_error *error);

#endif
