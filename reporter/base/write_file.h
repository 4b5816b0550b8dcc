/* write_file.h -- files that are there whole or not at all. */
#ifndef MP_WRITE_FILE_H
#define MP_WRITE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Between the name of a file and a process id: the name of one that is being written. */
#define MP_WRITE_SUFFIX ".tmp-"

/* May this process write a file of SIZE bytes?  False and errno EFBIG: the attempt would end it
 * (SIGXFSZ). */
bool mp_may_write(uint64_t size);

/* Make the SIZE BYTES the file PATH, which only the user may read and write.  A relative PATH is
 * one in FOLDER (AT_FDCWD: the working directory).  The bytes are written to a file beside it,
 * which then gets the name: whenever this process is killed, PATH is the old file or the new one,
 * whole.  It is not pushed to the disk.  False and errno on failure, which leaves nothing
 * behind. */
bool mp_write_file(int folder, const char *path, const void *bytes, size_t size);

#endif
