/* SPDX-License-Identifier: MIT */
#include "estimate.h"

#include <math.h>

/* Returns the quantile of the gamma distribution with MEAN and VARIANCE. Z is its distance from the middle of a
 * normal distribution, in standard deviations. */
static double
gamma_quantile(double mean, double variance, double z)
{
    double samples = mean * mean / variance;
    double root = 1 - 1 / (9 * samples) + z / (3 * sqrt(samples));

    return root > 0 ? mean * root * root * root : 0;
}

static uint64_t
whole(double number)
{
    return number < 0 ? 0 : number >= 0x1p63 ? INT64_MAX : (uint64_t)number;
}

/* Like mp_estimate(), but the lower bound is Z_LOW standard deviations below VALUE, as far as the estimate is normally
 * distributed, which it is for many samples. */
static struct mp_estimate
skewed(uint64_t value, double variance, double largest, double z_low)
{
    double mean = (double)value, low = mean, high = mean;

    if (!(variance > 0) && !(largest > 0))
        return (struct mp_estimate){value, value, value, true};
    if (value > 0 && variance > 0)
        low = gamma_quantile(mean, variance, -z_low);
    high = gamma_quantile(mean + largest, variance + largest * largest, MP_Z_95);
    if (low > mean)
        low = mean;
    if (high < mean)
        high = mean;
    return (struct mp_estimate){value, whole(floor(low)), whole(ceil(high)), false};
}

struct mp_estimate
mp_estimate(uint64_t value, double variance, double largest)
{
    return skewed(value, variance, largest, MP_Z_95);
}

static double
variance_of(const struct mp_spread *s, enum mp_figure figure)
{
    const double of[MP_FIGURES] = {
        [MP_FIGURE_ALLOCS] = (double)s->frees + (double)s->kept_blocks + (double)s->new_blocks,
        [MP_FIGURE_BYTES] = (double)s->freed + (double)s->kept + (double)s->new_bytes,
        [MP_FIGURE_FREES] = (double)s->frees,
        [MP_FIGURE_FREED] = (double)s->freed,
        [MP_FIGURE_KEPT_BLOCKS] = (double)s->kept_blocks,
        [MP_FIGURE_KEPT] = (double)s->kept,
        [MP_FIGURE_TEMPORARY] = (double)s->temporary,
        [MP_FIGURE_PEAK_BLOCKS] = (double)s->peak_blocks,
        [MP_FIGURE_PEAK_BYTES] = (double)s->peak_bytes};

    return of[figure];
}

/* Like skewed(), for FIGURE of COUNTS. A negative peak becomes 0. */
static struct mp_estimate
skewed_figure(const struct mp_counts *counts, enum mp_figure figure, double z_low)
{
    const int64_t value = mp_counts_figure(counts, figure);
    const bool peak = figure == MP_FIGURE_PEAK_BYTES || figure == MP_FIGURE_PEAK_BLOCKS;

    return skewed(peak && value < 0 ? 0 : (uint64_t)value, variance_of(&counts->spread, figure),
                  (double)(mp_figures[figure].bytes ? counts->spread.most_bytes : counts->spread.most), z_low);
}

struct mp_estimate
mp_counts_estimate(const struct mp_counts *counts, enum mp_figure figure)
{
    return skewed_figure(counts, figure, MP_Z_95);
}

struct mp_estimate
mp_counts_estimate_new(const struct mp_counts *counts, enum mp_figure figure)
{
    const struct mp_spread *s = &counts->spread;

    if (figure == MP_FIGURE_BYTES)
        return mp_estimate(counts->bytes - counts->freed - counts->kept, (double)s->new_bytes, (double)s->most_bytes);
    return mp_estimate(mp_counts_new(counts), (double)s->new_blocks, (double)s->most);
}

struct mp_estimate
mp_estimate_allocs(uint64_t value, const struct mp_spread *spread)
{
    return mp_counts_estimate(&(struct mp_counts){.allocs = value, .spread = *spread}, MP_FIGURE_ALLOCS);
}

struct mp_estimate
mp_estimate_part(uint64_t value, const struct mp_spread *spread, uint64_t unseen)
{
    struct mp_estimate estimate = mp_estimate_allocs(value, spread);

    estimate.high = mp_plus(estimate.high, unseen);
    estimate.exact &= unseen == 0;
    return estimate;
}

/* Returns the number of standard deviations that a normal variable exceeds with the small probability TAIL.
 * Abramowitz and Stegun, 26.2.23, accurate to 0.0005. */
static double
deviations(double tail)
{
    double t = sqrt(-2 * log(tail));

    return t - (2.515517 + 0.802853 * t + 0.010328 * t * t) /
                   (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t * t * t);
}

/* Number of independent estimates within one turnover. Each turnover is sampled anew. Within a turnover the
 * estimate varies as well, roughly like a few independent ones. */
#define IN_A_TURNOVER 4

struct mp_estimate
mp_estimate_peak(const struct mp_counts *counts, enum mp_figure figure, double turnover)
{
    double tries = turnover > 1 ? 1 + IN_A_TURNOVER * (turnover - 1) : 1;

    return skewed_figure(counts, figure, tries > 1 ? deviations(0.025 / tries) : MP_Z_95);
}

uint64_t
mp_estimate_error(const struct mp_estimate *estimate)
{
    uint64_t down = estimate->value - estimate->low, up = estimate->high - estimate->value;

    return down > up ? down : up;
}
