/* table_survival.h -- table 5, for Lisp: how many collections the objects of each site survived. */
#ifndef MP_TABLE_SURVIVAL_H
#define MP_TABLE_SURVIVAL_H

#include <stdio.h>

#include "print.h"
#include "reporter/profile/profile.h"

/* A site is a function that allocates, or with OPTIONS->sites other than 1 the partial chain of as
 * many callers.  Those come first whose objects survived most, in bytes.  ALL_FRAMES: start-up
 * frames are shown too.  The profile must be symbolised. */
bool mp_table_survival(const struct mp_profile *profile, const struct mp_print_options *options,
                       bool all_frames, FILE *out, struct mp_error *error);

#endif
