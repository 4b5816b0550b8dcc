/* SPDX-License-Identifier: MIT */
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

#include "answers.h"
#include "reporter/base/buffer.h"

#define MP_STORED_VERSION 9u    /* raise it when answers for the same file change */

struct mp_binary;

/* Reads the answers for BINARY from the cache. BINARY must have no answers and must not be loaded. */
void mp_cache_load(struct mp_binary *binary);
/* Writes the answers to the cache if there are new ones. Removes the oldest cache files if there is too much. */
void mp_cache_save(struct mp_binary *binary);

/* Decodes SIZE BYTES to ANSWERS, which must be empty. BYTES must remain valid as long as ANSWERS. Returns false and
 * leaves ANSWERS empty if the bytes were not written by mp_stored_write(). */
bool mp_stored_read(struct mp_answers *answers, const uint8_t *bytes, size_t size);
void mp_stored_write(const struct mp_answers *answers, struct mp_buffer *buffer);

#endif
