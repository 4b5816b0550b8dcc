/* write_file.h -- files that are there whole or not at all. */
#ifndef MP_WRITE_FILE_H
#define MP_WRITE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Between the name of a file and a process id: the name of one that is being written. */
#define MP_WRITE_SUFFIX ".tmp-"

/* May this process write a file of SIZE bytes?  False and errno EFBIG: the attempt would end it
 * (SIGXFSZ). */
bool mp_may_write(uint64_t size);

/* Writes the SIZE BYTES to the file PATH, with MODE.  A relative PATH is one in FOLDER (AT_FDCWD: the working
 * directory).  The bytes are written to a file beside it, which is then renamed: whenever this process is killed, PATH
 * is the whole old file or the whole new one.  It is not pushed to the disk.  On failure returns false, sets errno and
 * leaves nothing behind. */
bool mp_write_file(int folder, const char *path, mode_t mode, const void *bytes, size_t size);

#endif
