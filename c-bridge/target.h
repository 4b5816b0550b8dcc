/* SPDX-License-Identifier: MIT */
/*
 * target.h -- decides whether this library can be preloaded into a program that is about to be started.
 *
 * With mprof run -f, a program that the library would break has to run without it. Such programs are those with
 * a sanitizer whose runtime must be the first library or has a malloc of its own, those for another C library, and
 * those of another word size, for which the dynamic linker prints a warning. Static and set-user-id programs need no
 * check, because LD_PRELOAD has no effect on them. A file that cannot be read counts as one that takes the library,
 * because it cannot be started either.
 *
 * The functions do not use malloc and preserve errno, because they run in the child of a vfork.
 */
#ifndef MP_TARGET_H
#define MP_TARGET_H

#include <stdbool.h>

/* Open a program: the file PATH, the file that execvp() finds for FILE, or the file that is open as FD. Return a
 * descriptor that the caller closes, or -1. */
int mp_target_open(const char *path);
int mp_target_find(const char *file);
int mp_target_copy(int fd);

/* Returns whether the library can be preloaded into PROGRAM, a result of one of the three functions above. */
bool mp_target_takes_us(int program);

/* Returns whether the dynamic linker will preload the library into PROGRAM: its file is neither statically linked nor
 * set-user-id. A program without the library would pass LD_PRELOAD and MPROF_* on to its children. */
bool mp_target_loads_us(int program);

#endif
