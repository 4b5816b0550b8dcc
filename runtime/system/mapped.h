/* SPDX-License-Identifier: MIT */
/*
 * mapped.h -- finds the mapping of an address in /proc/self/maps. The caller holds the gate's lock or is the only
 * thread.
 */
#ifndef MP_MAPPED_H
#define MP_MAPPED_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the start of the mapping that contains ADDRESS, or 0 if it is unknown. */
uintptr_t mp_mapped_start(uintptr_t address);

/* Returns the inode number of the file mapped at ADDRESS, or 0 if there is none or it is unknown. */
uint64_t mp_mapped_inode(uintptr_t address);

/* Writes the path of the file mapped at ADDRESS to PATH (MP_PATH_SIZE bytes). Returns false if there is no path or
 * it does not fit. */
bool mp_mapped_path(uintptr_t address, char *path);

#endif
