/* write_output.h -- writes output files that the user named. */
#ifndef MP_WRITE_OUTPUT_H
#define MP_WRITE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the SIZE BYTES to the file PATH, completely or not at all (see mp_write_file()). An existing file keeps
 * its mode, and umask(2) decides that of a new one. A symbolic link is kept and its target replaced. If PATH is
 * no regular file, such as /dev/null, writes to it. On failure returns false and sets errno. */
bool mp_write_output(const char *path, const void *bytes, size_t size);

#endif
