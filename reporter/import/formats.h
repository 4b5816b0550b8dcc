/* formats.h -- the readers behind mp_import(): of SIZE bytes, not packed; NAME is for messages. */
#ifndef MP_IMPORT_FORMATS_H
#define MP_IMPORT_FORMATS_H

#include "import.h"

/* profile.proto of google/pprof. */
bool mp_is_pprof(const uint8_t *bytes, size_t size);
struct mp_profile *mp_import_pprof(const uint8_t *bytes, size_t size, const char *name,
                                   struct mp_error *error);

/* The text of tcmalloc's and jemalloc's heap profiles. */
bool mp_is_legacy(const uint8_t *bytes, size_t size);
struct mp_profile *mp_import_legacy(const uint8_t *bytes, size_t size, const char *name,
                                    struct mp_error *error);

/* What heaptrack wrote and interpreted; packed by gzip, zstd or not, unlike others. */
bool mp_is_heaptrack(const uint8_t *bytes, size_t size);
struct mp_profile *mp_import_heaptrack(const uint8_t *bytes, size_t size, const char *name,
                                       struct mp_error *error);

#endif
