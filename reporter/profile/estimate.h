/* SPDX-License-Identifier: MIT */
/*
 * estimate.h -- estimates from samples, with 95 % intervals.
 *
 * A sampled recording (runtime/record/sample.h) samples a block of s bytes with probability p = 1 - exp(-s /
 * period). So n sampled blocks represent n/p blocks. This estimate is unbiased and has the variance n(1 -
 * p)/p^2, whose own estimate is unbiased as well. Blocks are sampled independently of each other, so the
 * variance of a sum is the sum of the variances.
 *
 * The interval of a sum y with variance v is the one of Fay and Feuer for weighted sums of Poisson counts
 * (Statistics in Medicine 16, 1997). It treats y as if it came from y^2/v samples of equal weight. The upper
 * bound assumes one more sample with the largest possible weight m. Here m is the uncertainty of a sample, (1 -
 * p)/p, which is 0 if every block was sampled. The formulas also hold for few samples and for none. Quantiles of
 * the gamma distribution are computed by Wilson and Hilferty's formula, as in Byar's method.
 */
#ifndef MP_ESTIMATE_H
#define MP_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

#include "counts.h"

#define MP_Z_95 1.959963984540054       /* a normal variable exceeds it with probability 2.5 % */

#define MP_MOST_UNMET 3.668013          /* upper bound if nothing was sampled, as a multiple of the largest weight m */

/* A figure with its interval, low <= value <= high. If it is exact, all three are equal. */
struct mp_estimate {
    uint64_t value, low, high;
    bool exact;
};

/* Returns the estimate of VALUE with VARIANCE. LARGEST is the largest weight m, see above. */
struct mp_estimate mp_estimate(uint64_t value, double variance, double largest);

/* Returns the estimate of FIGURE in COUNTS. */
struct mp_estimate mp_counts_estimate(const struct mp_counts *counts, enum mp_figure figure);

/* Returns the estimate of the objects in COUNTS that no collection has examined yet, or of their bytes. FIGURE is
 * MP_FIGURE_ALLOCS or MP_FIGURE_BYTES. */
struct mp_estimate mp_counts_estimate_new(const struct mp_counts *counts, enum mp_figure figure);

/* Returns the estimate of VALUE, a number of allocations with SPREAD. */
struct mp_estimate mp_estimate_allocs(uint64_t value, const struct mp_spread *spread);

/* Does what mp_estimate_allocs() does for a part of the program in which the samples may have missed up to UNSEEN more
 * blocks. */
struct mp_estimate mp_estimate_part(uint64_t value, const struct mp_spread *spread, uint64_t unseen);

/* Returns the estimate of a process's peak. The peak is the largest of many estimates, so it is too high on
 * average if memory is allocated and freed again and again. TURNOVER is the number of times that as much as the
 * peak was allocated. */
struct mp_estimate mp_estimate_peak(const struct mp_counts *counts, enum mp_figure figure,
                                    double turnover);

/* Returns the distance from the value to the farther end of the interval. */
uint64_t mp_estimate_error(const struct mp_estimate *estimate);

#endif
