/*
 * cache.h -- answers of files (answers.h) on disk, for the next run of mprof.
 *
 * One file for each program or library with a build-id, in the folder MPROF_CACHE, or
 * mprof/symbols in XDG_CACHE_HOME or ~/.cache; MPROF_CACHE=off: none.  Its name has the build-id,
 * and a hash of all that the answers depend on: the file, its debug file, the version of libdw.
 * Such a file is input like any other: one that cannot be read, or is damaged, counts as missing.
 * One that cannot be written is not written.
 */
#ifndef MP_SYMBOLS_CACHE_H
#define MP_SYMBOLS_CACHE_H

#include "binary.h"

/* Take the answers for BINARY, which has none yet and is not loaded. */
void mp_cache_load(struct mp_binary *binary);
/* Put them there, if there are new ones, and drop the oldest files when there is too much. */
void mp_cache_save(struct mp_binary *binary);

#endif
