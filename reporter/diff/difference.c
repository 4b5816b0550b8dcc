/* SPDX-License-Identifier: MIT */
/* One figure on two sides: medians, noise, intervals. */
#include "changes.h"

#include <math.h>
#include <stdlib.h>

#include "reporter/base/search.h"
#include "reporter/profile/estimate.h"
#include "reporter/view/sort.h"

/* ---------------------------------------------------------------- several runs */

static int
compare_values(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return mp_order_signed(x, y);
}

/* Summary of the runs of one side. */
struct side {
    int64_t least, most, median;
};

static struct side
side_of(const struct mp_join *join, const int64_t *values, enum mp_side side)
{
    uint32_t n = 0, of = join->n_of[side];
    int64_t few[16], *sorted = of <= 16 ? few : mp_need(malloc(of * sizeof *sorted));
    struct side result;

    for (uint32_t i = 0; i < join->n_runs; i++)
        if (join->runs[i].side == side)
            sorted[n++] = values[i];
    qsort(sorted, n, sizeof *sorted, compare_values);
    result = (struct side){sorted[0], sorted[n - 1], sorted[n / 2]};
    if (n % 2 == 0)
        result.median = sorted[n / 2 - 1] + (sorted[n / 2] - sorted[n / 2 - 1]) / 2;
    if (sorted != few)
        free(sorted);
    return result;
}

double
mp_chance(const struct mp_join *join)
{
    uint32_t n = join->n_of[MP_BEFORE], m = join->n_of[MP_AFTER];
    double orders = 1;

    for (uint32_t i = 1; i <= m; i++)
        orders = orders * (n + i) / i;
    return n == 1 && m == 1 ? 0 : orders / 2;
}

static uint64_t
distance(int64_t a, int64_t b)
{
    return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

/* ---------------------------------------------------------------- estimates */

/* A figure of one run, with its interval. */
struct known {
    double low, value, high;
};

/* Returns an upper limit for a figure of which no sample was taken. A sampled block of s bytes represents s / p
 * bytes, where p is the probability that it is sampled (estimate.h). Up to s(1 - p) / p bytes may be missed for it,
 * which is less than the sample period for any s. */
static double
missed(const struct mp_join_run *run, enum mp_figure figure)
{
    return mp_figures[figure].bytes ? MP_MOST_UNMET * (run->meta.sample_period + (double)run->meta.foreign_period)
                                    : (double)run->unseen;
}

static struct known
known_of(const struct mp_join_run *run, const struct mp_counts *counts, enum mp_figure figure)
{
    const struct mp_estimate e = mp_counts_estimate(counts, figure);
    struct known known = {(double)e.low, (double)e.value, (double)e.high};

    if (e.exact || (int64_t)e.value < 0)
        known = (struct known){(double)(int64_t)e.value, (double)(int64_t)e.value, (double)(int64_t)e.value};
    if (mp_is_estimated(&run->meta) && e.value == 0)
        known.high = fmax(known.high, missed(run, figure));
    return known;
}

static void
set_interval(struct mp_difference *d, const struct mp_join *join, const struct mp_counts *counts,
             enum mp_figure figure)
{
    const uint32_t first = join->runs[0].side == MP_BEFORE ? 0 : 1;
    const struct known before = known_of(&join->runs[first], &counts[first], figure);
    const struct known after = known_of(&join->runs[1 - first], &counts[1 - first], figure);
    double change = (double)d->change;
    double low = change - hypot(after.value - after.low, before.high - before.value);
    double high = change + hypot(after.high - after.value, before.value - before.low);

    if (low >= high)            /* counts of sizes and of Lisp objects are exact */
        return;
    d->estimated = true;
    d->low = (int64_t)floor(fmax(low, -9e18));
    d->high = (int64_t)ceil(fmin(high, 9e18));
    d->certain = d->low > 0 || d->high < 0;
}

/* ---------------------------------------------------------------- a figure */

static int64_t
value_of(const struct mp_counts *counts, enum mp_figure figure)
{
    return (int64_t)mp_counts_estimate(counts, figure).value;
}

enum mp_figure
mp_other_figure(enum mp_sort cost)
{
    switch (cost) {
    case MP_SORT_BYTES:
        return MP_FIGURE_ALLOCS;
    case MP_SORT_KEPT:
        return MP_FIGURE_KEPT_BLOCKS;
    case MP_SORT_PEAK:
        return MP_FIGURE_PEAK_BLOCKS;
    default:
        return MP_FIGURE_BYTES;
    }
}

struct mp_difference
mp_difference(const struct mp_join *join, const int64_t *values, const struct mp_counts *counts,
              enum mp_figure figure)
{
    const struct side before = side_of(join, values, MP_BEFORE), after = side_of(join, values, MP_AFTER);
    struct mp_difference d = {.before = before.median, .after = after.median, .certain = true};
    bool several = join->n_runs > 2, sampled = false;

    d.change = mp_plus_signed(d.after, -d.before);
    for (uint32_t i = 0; i < join->n_runs; i++)
        sampled |= mp_is_estimated(&join->runs[i].meta);
    if (several) {
        uint64_t range = distance(before.least, before.most), other = distance(after.least, after.most);

        d.noise = range > other ? range : other;
        d.certain = (before.most < after.least || after.most < before.least) &&
                    distance(d.before, d.after) > d.noise;
    } else if (sampled && counts) {
        set_interval(&d, join, counts, figure);
    }
    d.certain |= d.change == 0;
    return d;
}

struct mp_difference
mp_difference_of(const struct mp_join *join, const struct mp_counts *counts, enum mp_figure figure)
{
    int64_t few[16] = {0}, *values = join->n_runs <= 16 ? few : mp_need(malloc(join->n_runs * sizeof *values));
    struct mp_difference d;

    for (uint32_t i = 0; i < join->n_runs; i++)
        values[i] = value_of(&counts[i], figure);
    d = mp_difference(join, values, counts, figure);
    d.unknown = mp_join_is_unknown(join, figure);
    if (values != few)
        free(values);
    return d;
}

uint32_t
mp_typical_run(const struct mp_join *join, enum mp_side side, enum mp_figure figure)
{
    int64_t *values = mp_need(malloc(join->n_runs * sizeof *values)), median;
    uint32_t best = MP_NO_ID;

    for (uint32_t i = 0; i < join->n_runs; i++)
        values[i] = value_of(&join->runs[i].total, figure);
    median = side_of(join, values, side).median;
    for (uint32_t i = 0; i < join->n_runs; i++)
        if (join->runs[i].side == side &&
            (best == MP_NO_ID || distance(values[i], median) < distance(values[best], median)))
            best = i;
    free(values);
    return best;
}
