/* own_profile.h -- what a sealed snapshot tells of its sites, as a profile. */
#ifndef MP_LEAKS_OWN_PROFILE_H
#define MP_LEAKS_OWN_PROFILE_H

#include "reporter/heap/heap.h"
#include "reporter/profile/profile.h"

/* A profile without cells, with names, whose contexts are the sites of HEAP, by number.  HEAP must outlive it; the
 * caller frees it.  RECORDING: its data file, which knows what is missing; NULL: not at hand. */
struct mp_profile *mp_leaks_own_profile(const struct mp_heap *heap, const struct mp_profile *recording);

#endif
