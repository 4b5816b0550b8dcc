/* preload.h -- where libmprof.so is. */
#ifndef MP_PRELOAD_H
#define MP_PRELOAD_H

#include <stdbool.h>

#include "reporter/base/error.h"

/* The path of libmprof.so: $MPROF_LIBRARY; beside an uninstalled mprof in .libs; where it was
 * installed, even if the whole prefix moved since.  The caller frees it; NULL and *ERROR. */
char *mp_preload_find(struct mp_error *error);

/* Can LIST, the value of LD_PRELOAD or NULL, go with the library?  Some libraries must be the first. */
bool mp_preload_check(const char *list, struct mp_error *error);

/* LIBRARY before what OLD (LD_PRELOAD, or NULL) holds already.  The caller frees it. */
char *mp_preload_join(const char *library, const char *old);

#endif
