/* verdict_parts.h -- for the files that make a verdict. */
#ifndef MP_LIMITS_VERDICT_PARTS_H
#define MP_LIMITS_VERDICT_PARTS_H

#include "verdict.h"

/* Fill in the offenders of CHECKED, of VIEW; BEFORE: the view of the baseline, if its limit is by that; or NULL. */
void mp_find_offenders(struct mp_verdict *verdict, struct mp_checked *checked,
                       const struct mp_profile *view, const struct mp_profile *before,
                       const struct mp_verdict_options *options);

#endif
