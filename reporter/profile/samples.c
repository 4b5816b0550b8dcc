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
    struct carry new;           /* objects that no collection has examined yet */
    struct carry owned_frees, owned_kept, owned_new, owned_peak;        /* blocks that belong to objects */
};

/* Makes figures consistent. While the process runs, a free may be copied without its allocation; it is dropped. */
static void
settle(struct mp_cell *sample)
{
    struct mp_basic_counts *n = &sample->counts;

    if (n->frees > n->allocs || n->freed > n->bytes) {
        n->frees = n->allocs;
        n->freed = n->bytes;
    }
    mp_cell_set_kept(sample);
}

/* Returns whether SAMPLE counts nothing, because all its objects turned out to be of other kinds. */
static bool
is_empty(const struct mp_cell *sample)
{
    const struct mp_basic_counts *n = &sample->counts;

    return mp_is_lisp(sample) && !mp_basic_any(n) && n->frees == 0 && n->freed == 0 && n->peak_bytes == 0 &&
           n->peak_blocks == 0;
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
            mp_cell_add_counts(&samples[n - 1], &samples[i], profile->arena);
        else
            samples[n++] = samples[i];
    }
    profile->n_samples = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!is_empty(&samples[i])) {
            settle(&samples[i]);
            samples[profile->n_samples++] = samples[i];
        }
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

/* Numbers of samples of one size. OWNED are those that belong to objects. */
struct numbers {
    int64_t frees, kept, new, temporary, peak;
    int64_t owned_frees, owned_kept, owned_new, owned_peak;
};

static int64_t
not_negative(int64_t number)
{
    return number > 0 ? number : 0;
}

/* Returns the numbers of samples in SAMPLE. Only objects may be new, and only the bytes of blocks that belong to
 * objects are counted. */
static struct numbers
numbers_of(const struct mp_cell *sample)
{
    const struct mp_basic_counts *n = &sample->counts;
    const int64_t size = sample->size_min;
    struct numbers numbers = {.frees = (int64_t)n->frees, .kept = (int64_t)n->kept_blocks,
                              .temporary = (int64_t)n->temporary, .peak = n->peak_blocks};

    if (!mp_is_lisp(sample))
        return numbers;
    numbers.new = not_negative((int64_t)n->allocs - numbers.frees - numbers.kept);
    if (size == 0 || size == UINT32_MAX)
        return numbers;
    numbers.owned_frees = not_negative((int64_t)n->freed / size - numbers.frees);
    numbers.owned_kept = not_negative((int64_t)n->kept / size - numbers.kept);
    numbers.owned_new = not_negative((int64_t)(n->bytes - n->freed - n->kept) / size - numbers.new);
    numbers.owned_peak = n->peak_bytes / size - n->peak_blocks;
    return numbers;
}

/* MOST_OF_OWNER is the uncertainty of a sample of an object to which blocks belong. Such blocks may be sampled where no
 * object is. */
static void
set_spread(struct mp_counts *to, const struct numbers *n, double size, double p, double most_of_owner)
{
    double one = (1 - p) / (p * p), bytes = one * size * size;
    struct mp_spread *spread = &to->spread;

    spread->frees = (float)((double)n->frees * one);
    spread->freed = (float)((double)(n->frees + n->owned_frees) * bytes);
    spread->kept_blocks = (float)((double)n->kept * one);
    spread->kept = (float)((double)(n->kept + n->owned_kept) * bytes);
    spread->new_blocks = (float)((double)n->new * one);
    spread->new_bytes = (float)((double)(n->new + n->owned_new) * bytes);
    spread->temporary = (float)((double)n->temporary * one);
    spread->peak_blocks = (float)(fabs((double)n->peak) * one);
    spread->peak_bytes = (float)(fabs((double)(n->peak + n->owned_peak)) * bytes);
    spread->most = (float)((1 - p) / p);
    spread->most_bytes = (float)(size * (1 - p) / p);
    if (n->owned_frees + n->owned_kept + n->owned_new > 0)
        spread->most = (float)fmax(spread->most, most_of_owner);
}

static uint64_t
scaled_within(uint64_t n, double weight, uint64_t limit)
{
    const double product = round((double)n * weight);

    return product < (double)limit ? (uint64_t)product : limit;
}

/* Sets the figures in C that only objects have, from N samples. The other figures of C are estimates already. */
static void
scale_ages(struct mp_counts *c, const struct mp_further_counts *n, double weight)
{
    uint64_t limit;

    c->requested = scaled_within(n->requested, weight, c->bytes);
    c->aged_frees = scaled_within(n->aged_frees, weight, c->frees);
    c->aged_freed = scaled_within(n->aged_freed, weight, c->freed);
    c->aged = c->aged_freed + c->kept;
    limit = c->survived[0] = c->aged_frees + c->kept_blocks;
    for (unsigned i = 1; i < MP_AGES; i++)
        limit = c->survived[i] = scaled_within(n->survived[i], weight, limit);
}

/* Returns the uncertainty of a sample of an object of KIND that has the size of these objects on average. */
static double
most_of_kind(const struct mp_profile *profile, uint32_t kind)
{
    const struct mp_object_kind *of = mp_profile_kind(profile, kind);
    const struct mp_object_kind *base = of ? mp_profile_kind(profile, of->base) : NULL;
    double p;

    if (!base || base->allocs == 0)
        return 0;
    p = probability((double)base->bytes / (double)base->allocs, profile->meta.sample_period);
    return (1 - p) / p;
}

/* Returns the estimates from SAMPLE. */
static struct mp_counts
scale(const struct mp_profile *profile, const struct mp_cell *sample, struct carries *carries)
{
    const uint32_t period = profile->meta.sample_period;
    const struct mp_basic_counts *n = &sample->counts;
    const struct numbers numbers = numbers_of(sample);
    double p = probability(sample->size_min, period), weight = 1 / p;
    struct mp_counts counts = mp_cell_counts(sample), *c = &counts;
    int64_t new, frees, kept, owned;

    c->frees = (uint64_t)(frees = scaled(&carries->frees, numbers.frees, weight));
    c->kept_blocks = (uint64_t)(kept = scaled(&carries->kept, numbers.kept, weight));
    new = scaled(&carries->new, numbers.new, weight);
    c->temporary = (uint64_t)scaled(&carries->temporary, numbers.temporary, weight);
    c->peak_blocks = scaled(&carries->peak, numbers.peak, weight);
    c->allocs = (uint64_t)(frees + kept + new);
    frees += scaled(&carries->owned_frees, numbers.owned_frees, weight);
    kept += scaled(&carries->owned_kept, numbers.owned_kept, weight);
    new += scaled(&carries->owned_new, numbers.owned_new, weight);
    owned = scaled(&carries->owned_peak, numbers.owned_peak, weight);
    c->freed = (uint64_t)bytes_of(sample, frees, (int64_t)n->freed);
    c->kept = (uint64_t)bytes_of(sample, kept, (int64_t)n->kept);
    c->peak_bytes = bytes_of(sample, c->peak_blocks + owned, n->peak_bytes);
    c->bytes = c->freed + c->kept + (uint64_t)bytes_of(sample, new, (int64_t)(n->bytes - n->freed - n->kept));
    if (mp_is_lisp(sample))
        scale_ages(c, mp_cell_further(sample), weight);
    set_spread(c, &numbers, sample->size_min, p, most_of_kind(profile, sample->kind));
    return counts;
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

/* Returns the number of samples in SAMPLE. */
static uint64_t
blocks_in(const struct mp_cell *sample)
{
    const uint64_t all = sample->size_min > 0 ? sample->counts.bytes / sample->size_min : 0;

    return mp_is_lisp(sample) && all > sample->counts.allocs ? all : sample->counts.allocs;
}

static void
count_in_bin(struct mp_profile *profile, const struct mp_cell *cell)
{
    uint32_t bin = cell->size_min < MP_BIN_LARGE ? cell->size_min : MP_BIN_LARGE;

    mp_counts_add_cell(&profile->bin_counts[bin], cell);
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
        struct mp_cell *cell = &cells[order[i]];
        struct mp_counts counts;

        *cell = *sample;
        if (!mp_is_sampled(&profile->meta, sample)) {
            if (cell->rest)
                mp_cell_own_rest(cell, profile->arena);
            continue;
        }
        if (i > 0 && samples[order[i - 1]].size_min != sample->size_min)
            carries = (struct carries){0};
        counts = scale(profile, sample, &carries);
        mp_cell_set_counts(cell, &counts, profile->arena);
        profile->meta.n_samples += blocks_in(sample);
        if (!mp_is_lisp(sample))
            count_in_bin(profile, cell);
    }
    free(order);
}

/* Adds the sizes of MORE, which are not smaller, to those of SUM. The sizes of objects are not those of the blocks that
 * belong to them. */
static void
add_size(struct mp_cell *sum, const struct mp_cell *more)
{
    if (mp_is_lisp(more) && more->counts.allocs == 0)
        return;
    if (sum->size_min > sum->size_max)
        sum->size_min = more->size_min;
    sum->size_max = more->size_max;
}

static void
forget_size(struct mp_cell *cell)
{
    if (mp_is_lisp(cell) && cell->counts.allocs == 0) {
        cell->size_min = UINT32_MAX;
        cell->size_max = 0;
    }
}

/* Merges the cells of one context and kind. Returns their new number. */
static uint32_t
merge_sizes(struct mp_cell *cells, uint32_t n, struct mp_arena *arena)
{
    uint32_t last = 0;

    if (n > 0)
        forget_size(&cells[0]);
    for (uint32_t i = 1; i < n; i++) {
        struct mp_cell *sum = &cells[last];

        if (cells[i].context == sum->context && cells[i].kind == sum->kind) {
            mp_cell_add_counts(sum, &cells[i], arena);
            add_size(sum, &cells[i]);
        } else {
            cells[++last] = cells[i];
            forget_size(&cells[last]);
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

/* Does the same for built-in kinds of objects of which there is no sample. Their objects have one size or nearly so.
 * Blocks that belong to objects have any size, so that one of them may stand for as many bytes as the period has, or
 * for their own. */
static void
add_unmet_objects(struct mp_profile *profile)
{
    const uint32_t period = profile->meta.sample_period;
    bool *met = mp_need(calloc(profile->n_kinds + (size_t)1, sizeof *met)), owned = false;
    struct mp_spread *unmet = &profile->unmet_objects;
    double blocks = 0, bytes = 0, most = 0, most_bytes = 0;

    for (uint32_t i = 0; i < profile->n_samples; i++) {
        const struct mp_object_kind *kind = mp_profile_kind(profile, profile->samples[i].kind);
        const struct mp_object_kind *base = kind ? mp_profile_kind(profile, kind->base) : NULL;

        if (base && profile->samples[i].counts.allocs > 0)
            met[base - profile->kinds] = true;
        owned |= kind && blocks_in(&profile->samples[i]) > profile->samples[i].counts.allocs;
    }
    for (uint32_t i = 0; i < profile->n_kinds; i++) {
        const struct mp_object_kind *kind = &profile->kinds[i];
        const double size = kind->allocs > 0 ? (double)kind->bytes / (double)kind->allocs : 0;
        const double p = probability(size, period), one = (1 - p) / p;

        if (kind->allocs == 0 || met[i])
            continue;
        blocks += (double)kind->allocs;
        bytes += (double)kind->bytes;
        most = fmax(most, one);
        most_bytes = fmax(most_bytes, one * size);
    }
    if (!owned && profile->owned_bytes > 0) {
        bytes += (double)profile->owned_bytes;
        most_bytes = fmax(most_bytes, period);
    }
    unmet->most = (float)fmin(most, blocks / MP_MOST_UNMET);
    unmet->most_bytes = (float)fmin(most_bytes, bytes / MP_MOST_UNMET);
    free(met);
}

/* A number of blocks or objects, which have a size on average. */
struct group {
    double size, n;
};

static int
compare_groups(const void *a, const void *b)
{
    const struct group *x = a, *y = b;

    return (x->size > y->size) - (x->size < y->size);
}

/* Returns an upper bound, with a confidence of 39/40, for the number of blocks and objects that a part of the program
 * without a sample has allocated. The probability that no block is sampled is exp(-total bytes / period), whatever the
 * sizes of the blocks. It is 1/40 for a total of (ln 40) * period bytes. As many blocks as possible fit into this
 * total if they are the smallest that the program has allocated, so the function counts these. */
static uint64_t
most_unseen(const struct mp_profile *profile)
{
    struct group *groups = mp_need(calloc(MP_BINS + (size_t)profile->n_kinds, sizeof *groups));
    double left = log(40) * profile->meta.sample_period;
    size_t n_groups = 0;
    uint64_t blocks = 0;

    for (uint32_t size = 0; size < MP_BINS; size++)
        groups[n_groups++] = (struct group){size > 0 ? size : 1, (double)profile->bins[size].allocs};
    for (uint32_t i = 0; i < profile->n_kinds; i++)
        if (profile->kinds[i].allocs > 0)
            groups[n_groups++] = (struct group){(double)profile->kinds[i].bytes / (double)profile->kinds[i].allocs,
                                                (double)profile->kinds[i].allocs};
    qsort(groups, n_groups, sizeof *groups, compare_groups);
    for (size_t i = 0; i < n_groups; i++) {
        double n = fmin(groups[i].n, groups[i].size > 0 ? floor(left / groups[i].size) : groups[i].n);

        blocks += (uint64_t)n;
        left -= n * groups[i].size;
    }
    free(groups);
    return blocks;
}

void
mp_samples_scale(struct mp_profile *profile)
{
    struct mp_meta *meta = &profile->meta;
    struct mp_basic_counts sum = {0};
    struct mp_cell *cells;

    merge_samples(profile);
    cells = mp_arena_alloc(profile->arena, profile->n_samples * sizeof *cells);
    profile->bin_counts = mp_arena_alloc(profile->arena, MP_BINS * sizeof *profile->bin_counts);
    meta->n_samples = 0;
    scale_all(profile, cells);
    add_unmet(profile);
    if (meta->objects_sampled)
        add_unmet_objects(profile);
    profile->unseen = most_unseen(profile);
    profile->cells = cells;
    profile->n_cells = merge_sizes(cells, profile->n_samples, profile->arena);
    for (uint32_t i = 0; i < profile->n_cells; i++)
        mp_counts_add_basic(&sum, &cells[i].counts);
    /* A cell's peak may be negative if another thread frees the blocks. The process's peak is not. */
    meta->peak_bytes = sum.peak_bytes > 0 ? sum.peak_bytes : 0;
    meta->peak_blocks = sum.peak_blocks > 0 ? sum.peak_blocks : 0;
}
