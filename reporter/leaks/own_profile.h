/* own_profile.h -- creates a profile from the allocation sites of a heap snapshot. */
#ifndef MP_LEAKS_OWN_PROFILE_H
#define MP_LEAKS_OWN_PROFILE_H

#include "reporter/heap/heap.h"
#include "reporter/profile/profile.h"

/* Returns a profile with names but without cells, whose contexts are the sites of HEAP. Sites from index OWN on are
 * only callers of others; they were added with the names. RECORDING is the profile of the recording, whose counts of
 * missing records are copied, or NULL. HEAP must outlive the result, which the caller frees. */
struct mp_profile *mp_leaks_own_profile(const struct mp_heap *heap, uint32_t own, const struct mp_profile *recording);

/* Returns the context of SITE. Contexts are ordered so that callers precede callees. */
uint32_t mp_leaks_context(const struct mp_heap *heap, uint32_t own, uint32_t site);

#endif
