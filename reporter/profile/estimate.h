/*
 * estimate.h -- estimates from samples, and their 95 % intervals.
 *
 * Of a sampled recording (runtime/record/sample.h) a block of s bytes was met with probability
 * p = 1 - exp(-s / period), so n blocks that were met stand for n/p: without bias, and with the variance
 * n(1 - p)/p^2, itself estimated without bias.  Variances of sums are sums of variances, because blocks
 * are met independently of each other.
 *
 * The interval of a sum y with variance v is that of Fay and Feuer for weighted sums of Poisson counts
 * (Statistics in Medicine 16, 1997): as if y came from y^2/v samples of one weight, and, upwards, from
 * one more with the largest weight m that there may be (here that of a sample's uncertainty, m =
 * (1 - p)/p, so that nothing is added where all was met).  Few samples, even none, are no exception.
 * Quantiles of the gamma distribution are by Wilson and Hilferty's formula, as in Byar's method.
 */
#ifndef MP_ESTIMATE_H
#define MP_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

#include "counts.h"

#define MP_Z_95 1.959963984540054       /* 2.5 % of a normal distribution is above */

#define MP_MOST_UNMET 3.668013          /* of the largest weight m: the upper bound where none was met */

/* A figure with its interval: exact, all three are one; else low <= value <= high. */
struct mp_estimate {
    uint64_t value, low, high;
    bool exact;
};

/* A figure with VARIANCE, and LARGEST: m of the above. */
struct mp_estimate mp_estimate(uint64_t value, double variance, double largest);

/* A figure of COUNTS. */
struct mp_estimate mp_counts_estimate(const struct mp_counts *counts, enum mp_figure figure);

/* What was allocated, of figures that have VALUE and SPREAD. */
struct mp_estimate mp_estimate_allocs(uint64_t value, const struct mp_spread *spread);

/* The same, of which there may be UNSEEN more. */
struct mp_estimate mp_estimate_part(uint64_t value, const struct mp_spread *spread, uint64_t unseen);

/* The peak of a process, the largest of many estimates: where the same is allocated and freed again and
 * again, it is too high on the average.  TURNOVER: how often as much as it was allocated. */
struct mp_estimate mp_estimate_peak(const struct mp_counts *counts, enum mp_figure figure,
                                    double turnover);

/* How far the interval goes from the value, to the side where it goes further. */
uint64_t mp_estimate_error(const struct mp_estimate *estimate);

#endif
