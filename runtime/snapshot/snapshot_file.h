/* SPDX-License-Identifier: MIT */
/* snapshot_file.h -- creates the file of a heap snapshot. The file is new, and locked until it is complete. */
#ifndef MP_SNAPSHOT_FILE_H
#define MP_SNAPSHOT_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/format.h"
#include "snapshot_copy.h"

/* Creates the file PATH, which must not exist, and fills FILE. Returns 0 or -errno. */
long mp_snapshot_create(const char *path, struct mp_copy_file *file);

/* Creates the file PATH.N.heap, or PATH.N.NAME.heap if NAME is neither NULL nor "", and fills FILE. N is the next
 * number after *NUMBER whose file does not exist; several threads may share *NUMBER. PATH has SIZE bytes and becomes
 * the file's name; *USED becomes N. Returns 0 or -errno. */
long mp_snapshot_create_next(char *path, size_t size, const char *name, uint32_t *number, uint32_t *used,
                             struct mp_copy_file *file);

/* mp_snapshot_create_offered() creates an unnamed file in the directory of PATH and fills FILE. It returns 0 or
 * -errno. mp_snapshot_offer() announces in OFFER that the copy PID writes FILE, so that another process can find
 * the file. The copy keeps the file open until that process has opened it. */
long mp_snapshot_create_offered(const char *path, struct mp_live_offer *offer, struct mp_copy_file *file);
void mp_snapshot_offer(struct mp_live_offer *offer, const struct mp_copy_file *file, long pid);

/* Makes a symbolic link PATH.N.heap to FILE, a complete snapshot, so that the snapshot is found beside the data file
 * PATH as well. N is the first free number from NUMBER on. Returns N, or 0 if no link could be made. */
uint32_t mp_snapshot_link(const char *path, uint32_t number, const char *file);

/* Notes in HEADER that the snapshot NUMBER was made, so that mprof run, which seals the recording, need not search the
 * directory for snapshots. Does nothing if HEADER is NULL or NUMBER is 0. */
void mp_snapshot_note(struct mp_live_header *header, uint32_t number);

#endif
