/* heap_files.h -- the snapshots beside a data file. */
#ifndef MP_HEAP_FILES_H
#define MP_HEAP_FILES_H

#include <stdint.h>

/* The snapshots PATH.NUMBER.heap of the data file PATH, *N of them by number; the caller frees them.  NULL: there are
 * none. */
char **mp_heap_files(const char *path, uint32_t *n);
void mp_heap_files_free(char **files, uint32_t n);

#endif
