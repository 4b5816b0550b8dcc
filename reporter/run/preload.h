/* SPDX-License-Identifier: MIT */
/* preload.h -- finds libmprof.so and builds LD_PRELOAD. */
#ifndef MP_PRELOAD_H
#define MP_PRELOAD_H

#include <stdbool.h>

#include "reporter/base/error.h"

/* Finds libmprof.so: in $MPROF_LIBRARY if set, else in .libs beside an mprof that is not installed, else where it was
 * installed, even if the whole prefix was moved since. Returns the path, which the caller frees. On failure returns
 * NULL and fills *ERROR. */
char *mp_preload_find(struct mp_error *error);

/* Checks that the libraries in LIST, a value of LD_PRELOAD or NULL, allow libmprof.so before them. Sanitizers must be
 * the first library. Returns false and fills *ERROR if not. */
bool mp_preload_check(const char *list, struct mp_error *error);

/* Returns the list OLD, a value of LD_PRELOAD or NULL, with LIBRARY before it, unless OLD already contains it. The
 * caller frees it. Returns NULL if out of memory. */
char *mp_preload_join(const char *library, const char *old);

#endif
