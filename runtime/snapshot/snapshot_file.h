/* snapshot_file.h -- the file that a snapshot of a heap is written into: new, and locked until it is whole. */
#ifndef MP_SNAPSHOT_FILE_H
#define MP_SNAPSHOT_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/format.h"
#include "snapshot_copy.h"

/* Create the file PATH, which must not be there: FILE.  0 or -errno. */
long mp_snapshot_create(const char *path, struct mp_copy_file *file);

/* The same of PATH, of SIZE bytes, with ".NUMBER.heap" behind it, of the next number after *NUMBER that is free;
 * several threads may count in one.  If NAME is neither NULL nor "", ".NUMBER.NAME.heap" is appended instead.  PATH
 * becomes the file's name, *USED its number. */
long mp_snapshot_create_next(char *path, size_t size, const char *name, uint32_t *number, uint32_t *used,
                             struct mp_copy_file *file);

/* Create a file without a name in the directory of PATH: FILE, which the copy that writes it keeps open until OFFER is
 * taken.  0 or -errno.  And: PID writes it, so that another process can find it. */
long mp_snapshot_create_offered(const char *path, struct mp_live_offer *offer, struct mp_copy_file *file);
void mp_snapshot_offer(struct mp_live_offer *offer, const struct mp_copy_file *file, long pid);

/* Make a symbolic link PATH.NUMBER.heap to FILE, a whole snapshot, so that it is found beside the data file PATH, too.
 * Takes the first number from NUMBER on that is free, and returns it; 0: no link could be made. */
uint32_t mp_snapshot_link(const char *path, uint32_t number, const char *file);

/* Note in HEADER, which may be NULL, that the snapshot with NUMBER, if that is not 0, was made.  Whoever seals the
 * recording need not search a directory for snapshots. */
void mp_snapshot_note(struct mp_live_header *header, uint32_t number);

#endif
