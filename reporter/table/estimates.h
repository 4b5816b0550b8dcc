/* SPDX-License-Identifier: MIT */
/* estimates.h -- estimated figures as text and in machine-readable form. */
#ifndef MP_ESTIMATES_H
#define MP_ESTIMATES_H

#include <stdio.h>

#include "reporter/profile/estimate.h"
#include "reporter/profile/profile.h"

/* Returns NUMBER, or 0 if it is negative. Bytes and blocks at the peak may be negative if they were read while the
 * process ran. */
static inline uint64_t
mp_not_negative(int64_t number)
{
    return number > 0 ? (uint64_t)number : 0;
}

#define MP_ESTIMATE_SIZE 96

/* Writes "estimated, +- 1,234 and 56,789 bytes" to OUT and returns it. Without BYTES, which may be NULL, only the
 * first number is written. The text is "" if all given estimates are exact. */
const char *mp_estimate_text(const struct mp_estimate *blocks, const struct mp_estimate *bytes,
                             char out[static MP_ESTIMATE_SIZE]);

#define MP_TOTALS_SIZE 128

/* Writes how many were allocated to OUT: "1 block", "20 objects" or "20 objects and 1 block". Returns OUT. */
const char *mp_totals_text(const struct mp_totals *totals, char out[static MP_TOTALS_SIZE]);

/* Returns what is counted as kept, for blocks, for objects or for both. */
const char *mp_totals_kept(const struct mp_totals *totals);

/* Returns the peak of PROFILE, whose totals are TOTALS; an estimate with its slack if the recording is sampled. FIGURE
 * is MP_FIGURE_PEAK_BYTES or MP_FIGURE_PEAK_BLOCKS. */
struct mp_estimate mp_estimates_peak(const struct mp_profile *profile, const struct mp_totals *totals,
                                     enum mp_figure figure);

/* Writes a line "NAME VALUE" for scripts. If the value is not exact, also writes lines for NAME.low and NAME.high. */
void mp_estimates_put(FILE *out, const char *name, const struct mp_estimate *estimate);

/* Writes the figure and a blank, for scripts. An estimate is written as value~low~high. */
void mp_estimates_put_field(FILE *out, const struct mp_counts *counts, enum mp_figure figure);

#endif
