/* SPDX-License-Identifier: MIT */
/* heap_files.h -- finds the snapshots in the directory of a data file by their names. */
#ifndef MP_HEAP_FILES_H
#define MP_HEAP_FILES_H

#include <stdint.h>

/* Returns the number of a snapshot from SUFFIX, the part of its name that follows the data file's name:
 * ".NUMBER.heap" or ".NUMBER.NAME.heap". Returns 0 if SUFFIX is neither. */
uint32_t mp_heap_file_number(const char *suffix);

/* Returns the snapshots PATH.NUMBER.heap and PATH.NUMBER.NAME.heap of the data file PATH, sorted by number, and sets
 * *N to their count. Returns NULL if there are no snapshots. The caller frees the list with mp_heap_files_free(). */
char **mp_heap_files(const char *path, uint32_t *n);
void mp_heap_files_free(char **files, uint32_t n);

#endif
