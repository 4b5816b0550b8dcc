/* profile_checks.h -- assertions on whole profiles. */
#ifndef MP_TEST_PROFILE_CHECKS_H
#define MP_TEST_PROFILE_CHECKS_H

#include "reporter/profile/profile.h"

extern struct mp_error error;   /* of the last call that failed */

/* Fails the test if PROFILE violates an invariant that readers guarantee: ids are in range, lists are in order, and
 * texts are not NULL and have no control characters. */
void assert_valid(const struct mp_profile *profile);

/* Compares two profiles field by field, but not addresses in the process. */
void assert_equal(const struct mp_profile *a, const struct mp_profile *b);

/* Compares all figures of COUNTS, and of CELL, with EXPECTED, but not their variances. */
void assert_counts(const struct mp_counts *counts, struct mp_counts expected);
void assert_cell(const struct mp_cell *cell, struct mp_counts expected);

/* Fails the test unless PROFILE is that of tests/programs/peak.c with MPROF_SAMPLE=64 and MPROF_SAMPLE_SEED=1988. Exact
 * figures follow from the program's loops. Estimates are those of the version that made the file. */
void assert_sampled_peak(const struct mp_profile *profile);

#endif
/* SPDX-License-Identifier: MIT */
