/* check.h -- what both readers promise about a profile's numbers, whatever the file says. */
#ifndef MP_CHECK_H
#define MP_CHECK_H

#include "reporter/profile/profile.h"

#define MP_PROBLEM_AGES "more survived collections than can be"

/* No counter or sum over all cells is above INT64_MAX, frees <= allocs and freed <= bytes in each
 * cell, what survived is part of what was allocated, and kinds are C's or those of the profile:
 * so later stages may add and subtract.  NULL, or what is wrong, with the cell in *INDEX. */
const char *mp_check_cells(const struct mp_profile *profile, uint32_t *index);

/* The same for the bins. */
const char *mp_check_bins(const struct mp_profile *profile, uint32_t *index);

/* NULL, or what is wrong with the KIND of a cell. */
const char *mp_check_kind(const struct mp_profile *profile, uint32_t kind);

#endif
