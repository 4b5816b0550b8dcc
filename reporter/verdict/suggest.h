/* SPDX-License-Identifier: MIT */
/* suggest.h -- writes suppressions for what is kept. They can be saved to a file and read again, see suppress.h. */
#ifndef MP_LIMITS_SUGGEST_H
#define MP_LIMITS_SUGGEST_H

#include <stdio.h>

#include "reporter/profile/profile.h"

enum mp_suggest { MP_SUGGEST_VALGRIND = 1, MP_SUGGEST_LSAN };

/* Prints a suppression for each chain of PROFILE, which is symbolised, that kept something; sorted by bytes, largest
 * first. In LeakSanitizer's format there is only one for each allocating function. Returns their number. Returns
 * SIZE_MAX and sets *ERROR on failure. */
size_t mp_suggest(const struct mp_profile *profile, enum mp_suggest how, FILE *out,
                  struct mp_error *error);

#endif
