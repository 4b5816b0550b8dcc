/* own_profile.h -- what a snapshot tells of its sites, as a profile. */
#ifndef MP_LEAKS_OWN_PROFILE_H
#define MP_LEAKS_OWN_PROFILE_H

#include "reporter/heap/heap.h"
#include "reporter/profile/profile.h"

/* A profile without cells, with names, whose contexts are the sites of HEAP, of which those from OWN on were added
 * when it got its names, as callers of the others.  HEAP must outlive it; the caller frees it.  RECORDING: its data
 * file, which knows what is missing; NULL: not at hand. */
struct mp_profile *mp_leaks_own_profile(const struct mp_heap *heap, uint32_t own, const struct mp_profile *recording);

/* The context of SITE there: callers come first. */
uint32_t mp_leaks_context(const struct mp_heap *heap, uint32_t own, uint32_t site);

#endif
