/*
 * target.h -- can this library be preloaded into a program that is about to be started?
 *
 * Following, a program that it would break is to run without us: one with AddressSanitizer, whose
 * library must be the first; one for another C library; one of another word size, for which the
 * dynamic linker complains.  What cannot be preloaded in silence (static, set-user-id) need not be
 * known.  Where nothing can be found out the answer is yes: it will not start at all.
 *
 * No malloc, errno is kept: these run in the child of a vfork.
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
