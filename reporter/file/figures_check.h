/* SPDX-License-Identifier: MIT */
/* figures_check.h -- consistency checks on a profile's figures. Readers run them on every file. */
#ifndef MP_READ_CHECK_H
#define MP_READ_CHECK_H

#include "reporter/profile/profile.h"

#define MP_PROBLEM_AGES "more survived collections than can be"

/* Checks all cells. No counter and no sum over all cells exceeds INT64_MAX. In each cell frees <= allocs and freed
 * <= bytes, surviving objects are part of the allocated ones, and the kind is one of C's or of the profile's. Later
 * stages may therefore add and subtract without checks. Returns NULL, or a description of the problem with the
 * offending cell's index in *INDEX. */
const char *mp_check_cells(const struct mp_profile *profile, uint32_t *index);

/* Checks the bins in the same way. *INDEX is the offending bin. */
const char *mp_check_bins(const struct mp_profile *profile, uint32_t *index);

/* Checks a cell's KIND. Returns NULL or a description of the problem. */
const char *mp_check_kind(const struct mp_profile *profile, uint32_t kind);

#endif
