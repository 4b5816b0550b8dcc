/* heap_files.h -- the snapshots beside a data file. */
#ifndef MP_HEAP_FILES_H
#define MP_HEAP_FILES_H

#include <stdint.h>

/* Returns the number of a snapshot from SUFFIX, which follows the data file's name in its own: ".NUMBER.heap" or
 * ".NUMBER.NAME.heap".  0: SUFFIX is neither. */
uint32_t mp_heap_file_number(const char *suffix);

/* The snapshots PATH.NUMBER.heap and PATH.NUMBER.NAME.heap of the data file PATH, *N of them by number; the caller
 * frees them.  NULL: there are none. */
char **mp_heap_files(const char *path, uint32_t *n);
void mp_heap_files_free(char **files, uint32_t n);

#endif
