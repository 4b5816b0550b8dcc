/* verdict_parts.h -- shared by the files that compute a verdict. */
#ifndef MP_LIMITS_VERDICT_PARTS_H
#define MP_LIMITS_VERDICT_PARTS_H

#include "verdict.h"

/* Sets the offenders of CHECKED to chains of VIEW. BEFORE is the view of the baseline if the limit is relative to
 * that, else NULL. */
void mp_find_offenders(struct mp_verdict *verdict, struct mp_checked *checked,
                       const struct mp_profile *view, const struct mp_profile *before,
                       const struct mp_verdict_options *options);

#endif
