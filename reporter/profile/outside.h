/* SPDX-License-Identifier: MIT */
/* outside.h -- decides whether the process had much memory that was not recorded, because it does not come from malloc:
 * heaps of other languages, and what the program maps itself. */
#ifndef MP_PROFILE_OUTSIDE_H
#define MP_PROFILE_OUTSIDE_H

#include <stdbool.h>

#include "profile.h"

#define MP_OUTSIDE_SIZE 160u

/* Writes a sentence about such memory to OUT, without a full stop. TOTALS are those of PROFILE. Returns false if there
 * is none, or if it is unknown. */
bool mp_outside_text(const struct mp_profile *profile, const struct mp_totals *totals,
                     char out[static MP_OUTSIDE_SIZE]);

#endif
