/*
 * mapped.h -- finds the file that is mapped at an address.
 */
#ifndef MP_MAPPED_H
#define MP_MAPPED_H

#include <stdbool.h>
#include <stdint.h>

/* Writes the path of the file mapped at ADDRESS, from /proc/self/maps, to PATH (MP_PATH_SIZE bytes). Returns
 * false if there is no path or it does not fit. The caller holds the gate's lock or is the only thread. */
bool mp_mapped_path(uintptr_t address, char *path);

#endif
