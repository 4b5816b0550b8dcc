/* profile_checks.h -- assertions on whole profiles. */
#ifndef MP_TEST_PROFILE_CHECKS_H
#define MP_TEST_PROFILE_CHECKS_H

#include "reporter/profile/profile.h"

extern struct mp_error error;   /* what the last call that failed said */

/* Everything that a reader promises: ids in range, order, no NULL, no control character. */
void assert_valid(const struct mp_profile *profile);

/* Equal field by field, but for addresses in the process. */
void assert_equal(const struct mp_profile *a, const struct mp_profile *b);

/* It is tests/programs/peak.c under MPROF_SAMPLE=64 and MPROF_SAMPLE_SEED=1988: what is exact is what the
 * program's loops say, and what is estimated is what was when the file was made. */
void assert_sampled_peak(const struct mp_profile *profile);

#endif
