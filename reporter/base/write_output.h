/* write_output.h -- files that somebody asked for by name. */
#ifndef MP_WRITE_OUTPUT_H
#define MP_WRITE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

/* Make the SIZE BYTES the file PATH, whole or not at all: see mp_write_file().  It has the mode that it
 * had, or that umask(2) leaves to a new one; a symbolic link stays one, and what is no file, as
 * /dev/null, is written to.  False and errno on failure. */
bool mp_write_output(const char *path, const void *bytes, size_t size);

#endif
