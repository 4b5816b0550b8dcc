/* suggest.h -- suppressions for what is kept, to be put into a file and read again, see suppress.h. */
#ifndef MP_LIMITS_SUGGEST_H
#define MP_LIMITS_SUGGEST_H

#include <stdio.h>

#include "reporter/profile/profile.h"

enum mp_suggest { MP_SUGGEST_VALGRIND = 1, MP_SUGGEST_LSAN };

/* Print one for each chain of PROFILE, which is symbolised, on which something is kept; those with most bytes
 * first.  Of LeakSanitizer's there is one for each function that allocates.  How many. */
size_t mp_suggest(const struct mp_profile *profile, enum mp_suggest how, FILE *out,
                  struct mp_error *error);

#endif
