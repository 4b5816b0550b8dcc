/* SPDX-License-Identifier: MIT */
/*
 * mounts.h -- finds out which files of code may be held open while the program runs.
 *
 * An open file keeps its mount busy, and a program may want to unmount it.
 */
#ifndef MP_MOUNTS_H
#define MP_MOUNTS_H

#include <stdint.h>

#include "runtime/runner_message.h"

/* Writes to MOUNTS the ids of the mounts whose files may be held: those of the root, of the working directory, of /tmp,
 * of the program PATH, and of files without a name. */
void mp_mounts_find(const char *path, uint32_t mounts[static MP_CODE_MOUNTS]);

/* Returns the id of the mount of PATH, or of the open file FD if PATH is "". Returns UINT32_MAX if it is unknown. */
uint32_t mp_mounts_of(int fd, const char *path);

#endif
