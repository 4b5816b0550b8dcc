/* snapshot_file.h -- the file that a snapshot of a heap is written into: new, and locked until it is whole. */
#ifndef MP_SNAPSHOT_FILE_H
#define MP_SNAPSHOT_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "snapshot_copy.h"

/* Create the file PATH, which must not be there: FILE.  0 or -errno. */
long mp_snapshot_create(const char *path, struct mp_copy_file *file);

/* The same of PATH, of SIZE bytes, with ".NUMBER.heap" behind it, of the next number after *NUMBER that is free;
 * several threads may count in one.  PATH becomes the file's name, *USED its number. */
long mp_snapshot_create_next(char *path, size_t size, uint32_t *number, uint32_t *used, struct mp_copy_file *file);

/* FILE, a whole snapshot with a name of its own, is found beside the data file PATH, too: by a symbolic link
 * PATH.NUMBER.heap, of the first number from NUMBER on that is free.  Where that cannot be made there is none. */
void mp_snapshot_link(const char *path, uint32_t number, const char *file);

#endif
