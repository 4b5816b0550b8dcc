/*
 * mapped.h -- which file the kernel says is mapped at an address.
 */
#ifndef MP_MAPPED_H
#define MP_MAPPED_H

#include <stdbool.h>
#include <stdint.h>

/* The path of what is mapped at ADDRESS, as /proc/self/maps has it, into PATH (MP_PATH_SIZE bytes).
 * False: nothing with a path, or it does not fit.  Gate's lock held, or no other thread is there
 * yet. */
bool mp_mapped_path(uintptr_t address, char *path);

#endif
