/* SPDX-License-Identifier: MIT */
/* recursion.h -- counts the contexts that exist only because of recursive calls. */
#ifndef MP_RECURSION_H
#define MP_RECURSION_H

#include "reporter/profile/profile.h"

/* Returns the number of contexts that would be saved in PROFILE, which is symbolised, if repeated rounds of
 * recursion were removed from its chains (mprof run --fold-recursion; the rule is in runtime/record/fold.h).
 * Returns 0 if these contexts are not the majority, or if counting them would take long. */
uint32_t mp_recursion_contexts(const struct mp_profile *profile);

#endif
