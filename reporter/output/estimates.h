/* estimates.h -- what is estimated, as text and for programs. */
#ifndef MP_ESTIMATES_H
#define MP_ESTIMATES_H

#include <stdio.h>

#include "reporter/profile/estimate.h"
#include "reporter/profile/profile.h"

#define MP_ESTIMATE_SIZE 96

/* "estimated, +- 1,234 and 56,789 bytes"; BYTES: NULL, only the former; "" if they are exact. */
const char *mp_estimate_text(const struct mp_estimate *blocks, const struct mp_estimate *bytes,
                             char out[static MP_ESTIMATE_SIZE]);

/* The peak of PROFILE, of which TOTALS are: FIGURE is one of the two. */
struct mp_estimate mp_estimates_peak(const struct mp_profile *profile, const struct mp_totals *totals,
                                     enum mp_figure figure);

/* For scripts: "NAME VALUE", and, if it is no exact figure, lines for NAME.low and NAME.high. */
void mp_estimates_put(FILE *out, const char *name, const struct mp_estimate *estimate);

/* For scripts: the value; or value~low~high. */
void mp_estimates_put_field(FILE *out, const struct mp_counts *counts, enum mp_figure figure);

#endif
