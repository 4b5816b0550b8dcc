/*
 * target.h -- can this library be preloaded into a program that is about to be started?
 *
 * With mprof run -f, a program that the library would break has to run without it: one with
 * AddressSanitizer, whose own library must be the first; one for another C library; one of another
 * word size, for which the dynamic linker prints a warning.  Static and set-user-id programs are
 * not looked for: LD_PRELOAD does nothing to them, in silence.  Where the file cannot be read the
 * answer is yes, because it cannot be started either.
 *
 * No malloc, and errno is kept: these run in the child of a vfork.
 */
#ifndef MP_TARGET_H
#define MP_TARGET_H

#include <stdbool.h>

bool mp_target_takes_us(const char *path);

/* The same for FILE as execvp() finds it. */
bool mp_target_found_takes_us(const char *file);

/* The same for an open file. */
bool mp_target_open_takes_us(int fd);

#endif
