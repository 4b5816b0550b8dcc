/* recursion.h -- how many chains are there only because functions call themselves. */
#ifndef MP_RECURSION_H
#define MP_RECURSION_H

#include "profile.h"

/* Of PROFILE, which is symbolised: how many contexts fewer there would be if repeated rounds of
 * recursion were left out of the chains (mprof run --fold-recursion; runtime/record/fold.h has the rule).
 * 0 also where they are not the most, or where it would take long to find out. */
uint32_t mp_recursion_contexts(const struct mp_profile *profile);

#endif
