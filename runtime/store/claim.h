/* SPDX-License-Identifier: MIT */
/*
 * claim.h -- creates a new data file under a name that other processes may want as well.
 *
 * If several processes start at once, one of them gets the name, and none removes another's file. A process that
 * creates a file keeps it locked (flock(2)) until the file's header identifies the process. A process that removes an
 * old file locks the old file meanwhile. A locked file that still has its name belongs to the process that locked it.
 */
#ifndef MP_CLAIM_H
#define MP_CLAIM_H

#include <stdbool.h>
#include <stdint.h>

/* Creates the file PATH, which is locked and is empty or contains only zeros, and returns its descriptor or -errno. If
 * REPLACE, first removes a data file or empty file at PATH, provided that it is this process's or that nobody writes it
 * any more. Otherwise renames a spare file of mprof run, if there is one. -EBUSY means that another process records
 * there. -EEXIST means that the existing file must not be removed. Lock held. */
long mp_claim(const char *path, bool replace);

/* Returns whether PATH is a live file of this process and of the present run. Lock held. */
bool mp_claim_is_own(const char *path);

/* Unlocks FD, whose header now identifies the writing process. */
void mp_claim_settled(int fd);

/* Returns the start time of this process, as in the header, or 0 if unknown. */
uint64_t mp_claim_start_ticks(void);

/* Returns the inode number of this process's pid namespace, or 0 if unknown. */
uint64_t mp_claim_namespace(void);

#endif
