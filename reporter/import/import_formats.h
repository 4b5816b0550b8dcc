/* SPDX-License-Identifier: MIT */
/* import_formats.h -- the readers behind mp_import(), one pair of functions for each format. They read SIZE
 * uncompressed bytes. NAME is the file's name in error messages. */
#ifndef MP_IMPORT_FORMATS_H
#define MP_IMPORT_FORMATS_H

#include "import.h"

/* profile.proto of google/pprof */
bool mp_is_pprof(const uint8_t *bytes, size_t size);
struct mp_profile *mp_import_pprof(const uint8_t *bytes, size_t size, const char *name,
                                   struct mp_error *error);

/* text heap profiles of tcmalloc and jemalloc */
bool mp_is_legacy(const uint8_t *bytes, size_t size);
struct mp_profile *mp_import_legacy(const uint8_t *bytes, size_t size, const char *name,
                                    struct mp_error *error);

/* interpreted output of heaptrack. Unlike the other readers, it also accepts bytes compressed by gzip or zstd. */
bool mp_is_heaptrack(const uint8_t *bytes, size_t size);
struct mp_profile *mp_import_heaptrack(const uint8_t *bytes, size_t size, const char *name,
                                       struct mp_error *error);

#endif
