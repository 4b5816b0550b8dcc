/*
 * cache.h -- stores the answers of files (answers.h) on disk for the next run of mprof.
 *
 * There is one cache file for each program or library with a build-id. The folder is MPROF_CACHE, or mprof/symbols
 * in XDG_CACHE_HOME or ~/.cache. MPROF_CACHE=off disables the cache. The name of a cache file contains the build-id
 * and a hash of everything the answers depend on: the file, its debug file, and libdw's version. Cache files are
 * untrusted input. A file that cannot be read or is damaged counts as missing, and failures to write are ignored.
 */
#ifndef MP_SYMBOLS_CACHE_H
#define MP_SYMBOLS_CACHE_H

#include "binary.h"

/* Reads the answers for BINARY from the cache. BINARY must have no answers and must not be loaded. */
void mp_cache_load(struct mp_binary *binary);
/* Writes the answers to the cache if there are new ones. Removes the oldest cache files if there is too much. */
void mp_cache_save(struct mp_binary *binary);

#endif
