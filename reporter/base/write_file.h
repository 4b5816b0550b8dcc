/* write_file.h -- writes files completely or not at all. */
#ifndef MP_WRITE_FILE_H
#define MP_WRITE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The name of a temporary file is the file's name, this suffix and a process id. */
#define MP_WRITE_SUFFIX ".tmp-"

/* Returns whether this process may write a file of SIZE bytes. If not, because the attempt would raise SIGXFSZ,
 * sets errno to EFBIG. */
bool mp_may_write(uint64_t size);

/* Writes the SIZE BYTES to the file PATH, with MODE. A relative PATH is relative to the directory FOLDER
 * (AT_FDCWD: the working directory). The bytes are written to a temporary file, which is then renamed. So PATH
 * is either the complete old file or the complete new one, even if the process is killed. There is no fsync. On
 * failure returns false, sets errno and leaves nothing behind. */
bool mp_write_file(int folder, const char *path, mode_t mode, const void *bytes, size_t size);

#endif
