/* SPDX-License-Identifier: MIT */
/*
 * Computes estimates from samples.
 *
 * Estimated numbers of blocks are not whole. They are rounded so that the sum over all cells of one size is the
 * rounded exact sum: an excess in one cell is taken from the next. So rounding adds no bias to sums, and the
 * bytes of a cell are its blocks times their size.
 */
#include "samples.h"

#include <math.h>
#include <stdlib.h>

#include "cells.h"
#include "estimate.h"
#include "reporter/base/search.h"

#define MAX_BLOCKS 0x1p61       /* maximum blocks of one size; only damaged files exceed it */

/* Running sums over the cells of one size, exact and rounded. */
struct carry {
    double exact;
    int64_t rounded;
};

struct carries {
    struct carry frees, kept, temporary, peak;
};

/* Makes figures consistent. While the process runs, a free may be copied without its allocation; it is dropped. */
static void
settle(struct mp_cell *sample)
{
    struct mp_counts *n = &sample->counts;

    if (n->frees > n->allocs || n->freed > n->bytes) {
        n->frees = n->allocs;
        n->freed = n->bytes;
    }
    mp_counts_set_kept(n, mp_is_lisp(sample));
}

static void
merge_samples(struct mp_profile *profile)
{
    struct mp_cell *samples = profile->samples;
    uint32_t n = 0;

    if (profile->n_samples > 0)
        qsort(samples, profile->n_samples, sizeof *samples, mp_cell_compare);
    for (uint32_t i = 0; i < profile->n_samples; i++) {
        if (n > 0 && mp_cell_compare(&samples[n - 1], &samples[i]) == 0)
            mp_counts_add(&samples[n - 1].counts, &samples[i].counts);
        else
            samples[n++] = samples[i];
    }
    profile->n_samples = n;
    for (uint32_t i = 0; i < n; i++)
        settle(&samples[i]);
}

/* ---------------------------------------------------------------- one cell */

/* Returns the rounded number of blocks that N samples of WEIGHT represent, and carries the rest to the next
 * cell. */
static int64_t
scaled(struct carry *carry, int64_t n, double weight)
{
    int64_t before = carry->rounded;

    carry->exact = fmax(-MAX_BLOCKS, fmin(carry->exact + (double)n * weight, MAX_BLOCKS));
    carry->rounded = llround(carry->exact);
    return carry->rounded - before;
}

/* Returns the bytes of BLOCKS of SAMPLE's size. Blocks of 4 GiB or more are all sampled, so BYTES is exact for
 * them. */
static int64_t
bytes_of(const struct mp_cell *sample, int64_t blocks, int64_t bytes)
{
    int64_t product;

    if (sample->size_min == UINT32_MAX ||
        __builtin_mul_overflow(blocks, (int64_t)sample->size_min, &product))
        return bytes;
    return product;
}

/* Returns the probability that a block of SIZE bytes is sampled. */
static double
probability(double size, uint32_t period)
{
    return -expm1(-(size > 0 ? size : 1) / period);
}

double
mp_sample_weight(double size, uint32_t period)
{
    return 1 / probability(size, period);
}

static void
set_spread(struct mp_counts *to, const struct mp_counts *n, double size, double p)
{
    double one = (1 - p) / (p * p), bytes = one * size * size;
    struct mp_spread *spread = &to->spread;

    spread->frees = (float)((double)n->frees * one);
    spread->freed = (float)((double)n->frees * bytes);
    spread->kept_blocks = (float)((double)n->kept_blocks * one);
    spread->kept = (float)((double)n->kept_blocks * bytes);
    spread->temporary = (float)((double)n->temporary * one);
    spread->peak_blocks = (float)(fabs((double)n->peak_blocks) * one);
    spread->peak_bytes = (float)(fabs((double)n->peak_blocks) * bytes);
    spread->most = (float)((1 - p) / p);
    spread->most_bytes = (float)(size * (1 - p) / p);
}

static struct mp_cell
scale(const struct mp_cell *sample, uint32_t period, struct carries *carries)
{
    const struct mp_counts *n = &sample->counts;
    double p = probability(sample->size_min, period), weight = 1 / p;
    struct mp_cell cell = *sample;
    struct mp_counts *c = &cell.counts;

    c->frees = (uint64_t)scaled(&carries->frees, (int64_t)n->frees, weight);
    c->kept_blocks = (uint64_t)scaled(&carries->kept, (int64_t)n->kept_blocks, weight);
    c->temporary = (uint64_t)scaled(&carries->temporary, (int64_t)n->temporary, weight);
    c->peak_blocks = scaled(&carries->peak, n->peak_blocks, weight);
    c->freed = (uint64_t)bytes_of(sample, (int64_t)c->frees, (int64_t)n->freed);
    c->kept = (uint64_t)bytes_of(sample, (int64_t)c->kept_blocks, (int64_t)n->kept);
    c->peak_bytes = bytes_of(sample, c->peak_blocks, n->peak_bytes);
    c->allocs = c->frees + c->kept_blocks;
    c->bytes = c->freed + c->kept;
    set_spread(c, n, sample->size_min, p);
    return cell;
}

/* ---------------------------------------------------------------- all cells */

static int
compare_sizes(const void *a, const void *b, void *data)
{
    const struct mp_cell *samples = data;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    if (samples[x].size_min != samples[y].size_min)
        return mp_order(samples[x].size_min, samples[y].size_min);
    return mp_order(x, y);
}

static void
count_in_bin(struct mp_profile *profile, const struct mp_cell *cell)
{
    uint32_t bin = cell->size_min < MP_BIN_LARGE ? cell->size_min : MP_BIN_LARGE;

    mp_counts_add(&profile->bin_counts[bin], &cell->counts);
}

/* Computes the estimates of each sample, in the order of samples. */
static void
scale_all(struct mp_profile *profile, struct mp_cell *cells)
{
    const struct mp_cell *samples = profile->samples;
    uint32_t n = profile->n_samples, *order = mp_need(malloc((n + (size_t)1) * sizeof *order));
    struct carries carries = {0};

    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    qsort_r(order, n, sizeof *order, compare_sizes, profile->samples);
    for (uint32_t i = 0; i < n; i++) {
        const struct mp_cell *sample = &samples[order[i]];

        cells[order[i]] = *sample;
        if (mp_is_lisp(sample))
            continue;
        if (i > 0 && samples[order[i - 1]].size_min != sample->size_min)
            carries = (struct carries){0};
        cells[order[i]] = scale(sample, profile->meta.sample_period, &carries);
        profile->meta.n_samples += sample->counts.allocs;
        count_in_bin(profile, &cells[order[i]]);
    }
    free(order);
}

/* Merges the cells of one context and kind. Returns their new number. */
static uint32_t
merge_sizes(struct mp_cell *cells, uint32_t n)
{
    uint32_t last = 0;

    for (uint32_t i = 1; i < n; i++) {
        struct mp_cell *sum = &cells[last];

        if (cells[i].context == sum->context && cells[i].kind == sum->kind) {
            mp_counts_add(&sum->counts, &cells[i].counts);
            sum->size_max = cells[i].size_max;
        } else {
            cells[++last] = cells[i];
        }
    }
    return n > 0 ? last + 1 : 0;
}

/* Sets the uncertainty of sizes that were allocated but never sampled. It is unknown what became of their
 * blocks. Their number bounds the uncertainty, too. */
static void
add_unmet(struct mp_profile *profile)
{
    double blocks = 0, bytes = 0, most = 0, most_bytes = 0;

    for (uint32_t size = 0; size < MP_BINS; size++) {
        const struct mp_bin *bin = &profile->bins[size];
        struct mp_counts *counts = &profile->bin_counts[size];
        double p = probability(size, profile->meta.sample_period), one = (1 - p) / p;

        if (bin->allocs == 0 || counts->allocs > 0)
            continue;
        counts->spread.most = (float)fmin(one, (double)bin->allocs / MP_MOST_UNMET);
        counts->spread.most_bytes = (float)fmin(one * size, (double)bin->bytes / MP_MOST_UNMET);
        blocks += (double)bin->allocs;
        bytes += (double)bin->bytes;
        most = fmax(most, one);
        most_bytes = fmax(most_bytes, one * size);
    }
    profile->unmet.most = (float)fmin(most, blocks / MP_MOST_UNMET);
    profile->unmet.most_bytes = (float)fmin(most_bytes, bytes / MP_MOST_UNMET);
}

/* Returns an upper bound, with a confidence of 39/40, for the number of blocks that a part of the program without
 * a sample has allocated. The probability that no block is sampled is exp(-total bytes / period), whatever the
 * sizes of the blocks. It is 1/40 for a total of (ln 40) * period bytes. As many blocks as possible fit into this
 * total if they are the smallest that the program has allocated, so the function counts these. */
static uint64_t
most_unseen(const struct mp_profile *profile)
{
    double left = log(40) * profile->meta.sample_period;
    uint64_t blocks = 0;

    for (uint32_t size = 0; size < MP_BINS; size++) {
        double each = size > 0 ? size : 1;
        double n = fmin((double)profile->bins[size].allocs, floor(left / each));

        blocks += (uint64_t)n;
        left -= n * each;
    }
    return blocks;
}

void
mp_samples_scale(struct mp_profile *profile)
{
    struct mp_meta *meta = &profile->meta;
    struct mp_counts sum = {0};
    struct mp_cell *cells;

    merge_samples(profile);
    cells = mp_arena_alloc(profile->arena, profile->n_samples * sizeof *cells);
    profile->bin_counts = mp_arena_alloc(profile->arena, MP_BINS * sizeof *profile->bin_counts);
    meta->n_samples = 0;
    scale_all(profile, cells);
    add_unmet(profile);
    profile->unseen = most_unseen(profile);
    profile->cells = cells;
    profile->n_cells = merge_sizes(cells, profile->n_samples);
    for (uint32_t i = 0; i < profile->n_cells; i++)
        mp_counts_add(&sum, &cells[i].counts);
    /* A cell's peak may be negative if another thread frees the blocks. The process's peak is not. */
    meta->peak_bytes = sum.peak_bytes > 0 ? sum.peak_bytes : 0;
    meta->peak_blocks = sum.peak_blocks > 0 ? sum.peak_blocks : 0;
}
