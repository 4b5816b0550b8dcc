/*
 * seal_heap.h -- a snapshot of C's heap gets names in the place of contexts, before its live file is sealed and
 * numbers them anew.
 */
#ifndef MP_LEAKS_SEAL_HEAP_H
#define MP_LEAKS_SEAL_HEAP_H

#include "reporter/heap/heap.h"
#include "reporter/profile/profile.h"

/* Write HEAP, which was read from PATH, there again, sealed.  PROFILE: of the live file, with names.  False and *ERROR:
 * it could not be, and is as it was. */
bool mp_leaks_seal_heap(const struct mp_heap *heap, const struct mp_profile *profile, const char *path,
                        struct mp_error *error);

#endif
