/* The 95 % intervals of estimates contain the true value in at least 95 % of runs, also if there are few samples. */
#include "tests/unit/tap.h"

#include <math.h>
#include <stdio.h>

#include "reporter/profile/estimate.h"
#include "reporter/profile/samples.h"

#define RUNS 4000
#define PERIOD 4096

static double
chance(void)
{
    static uint64_t state = 88172645463325252u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) / 0x1p53;
}

/* Returns how many of N blocks of SIZE bytes are sampled in a random run. */
static unsigned
met(unsigned n, double size)
{
    double p = -expm1(-size / PERIOD);
    unsigned k = 0;

    for (unsigned i = 0; i < n; i++)
        k += chance() < p;
    return k;
}

/* Numbers and sizes of blocks on one chain. */
static const struct {
    unsigned n[3], size[3];
} chains[] = {
    {{1}, {4096}}, {{3}, {4096}}, {{100}, {4096}}, {{2}, {40000}}, {{10}, {100}}, {{40}, {100}},
    {{200}, {100}}, {{1000}, {16}}, {{2000}, {48}}, {{200, 20, 2}, {16, 500, 4096}},
    {{5, 5, 5}, {1, 1000, 20000}}, {{500, 1}, {8, 9000}},
};

/* At least 95 % of the intervals contain the true value, minus four standard deviations for the number of runs. */
TEST_EACH(intervals_cover, chains)
{
    unsigned covered = 0, bytes_covered = 0;
    double sum = 0, truth = 0, bytes = 0, variance = 0;

    for (unsigned i = 0; i < 3; i++) {
        double p = -expm1(-(double)chains[_i].size[i] / PERIOD);

        truth += chains[_i].n[i];
        bytes += (double)chains[_i].n[i] * chains[_i].size[i];
        if (chains[_i].n[i] > 0)
            variance += chains[_i].n[i] * (1 - p) / p;
    }
    for (unsigned run = 0; run < RUNS; run++) {
        struct mp_profile *profile = mp_profile_new();
        struct mp_cell cells[3] = {{.context = 0}};
        struct mp_counts counts = {.allocs = 0};
        struct mp_estimate estimate;

        for (unsigned i = 0; i < 3; i++) {
            cells[i].size_min = cells[i].size_max = chains[_i].size[i];
            cells[i].counts.allocs = met(chains[_i].n[i], chains[_i].size[i]);
            cells[i].counts.bytes = cells[i].counts.allocs * chains[_i].size[i];
        }
        profile->samples = cells;
        profile->n_samples = 3;
        profile->meta.sample_period = PERIOD;
        mp_samples_scale(profile);
        ck_assert_uint_eq(profile->n_cells, 1);
        counts = mp_cell_counts(&profile->cells[0]);
        ck_assert_uint_eq(counts.kept_blocks, counts.allocs);
        estimate = mp_counts_estimate(&counts, MP_FIGURE_ALLOCS);
        covered += (double)estimate.low <= truth && truth <= (double)estimate.high;
        estimate = mp_counts_estimate(&counts, MP_FIGURE_BYTES);
        bytes_covered += (double)estimate.low <= bytes && bytes <= (double)estimate.high;
        sum += (double)counts.allocs;
        mp_profile_free(profile);
    }
    printf("# chain %d: %.1f %% of numbers, %.1f %% of bytes\n", _i, 100.0 * covered / RUNS,
           100.0 * bytes_covered / RUNS);
    ck_assert_double_gt(covered, RUNS * 0.95 - 4 * sqrt(RUNS * 0.95 * 0.05));
    ck_assert_double_gt(bytes_covered, RUNS * 0.95 - 4 * sqrt(RUNS * 0.95 * 0.05));
    /* Rounding adds at most half a block to each of the three cells. */
    ck_assert_double_lt(fabs(sum / RUNS - truth), 4 * sqrt(variance / RUNS) + 0.5 * 3);
}

/* Numbers and sizes of objects, and the size of the block that belongs to each object, or 0 if there is none. */
static const struct {
    unsigned n, size, owned;
} objects[] = {
    {2000, 16, 0}, {20, 64, 24000}, {1, 64, 24000}, {500, 48, 32}, {300, 64, 224}, {10, 48, 16}, {3000, 32, 4096},
};

/* Does the same for objects. The blocks of objects are sampled independently and add bytes, but no objects. A block may
 * be sampled although its object is not. */
TEST_EACH(intervals_of_objects_cover, objects)
{
    const unsigned n = objects[_i].n, size = objects[_i].size, owned = objects[_i].owned;
    const double bytes = (double)n * (size + owned);
    unsigned covered = 0, bytes_covered = 0;
    double sum = 0, p = -expm1(-(double)size / PERIOD);

    for (unsigned run = 0; run < RUNS; run++) {
        struct mp_object_kind kind = {.kind = MP_KIND_LISP + 17, .base = MP_KIND_LISP + 17, .name = "VECTOR",
                                      .category = 's', .allocs = n, .bytes = (uint64_t)n * size};
        struct mp_profile *profile = mp_profile_new();
        struct mp_cell cells[2] = {{.kind = kind.kind, .size_min = size, .size_max = size},
                                   {.kind = kind.kind, .size_min = owned, .size_max = owned}};
        const uint64_t met_objects = met(n, size), met_blocks = owned > 0 ? met(n, owned) : 0;
        struct mp_estimate estimate;
        struct mp_totals totals;

        cells[0].counts.allocs = met_objects;
        cells[0].counts.bytes = met_objects * size;
        cells[1].counts.bytes = met_blocks * owned;
        profile->kinds = &kind;
        profile->n_kinds = 1;
        profile->owned_blocks = owned > 0 ? n : 0;
        profile->owned_bytes = (uint64_t)n * owned;
        profile->samples = cells;
        profile->n_samples = owned > 0 ? 2 : 1;
        profile->meta.sample_period = PERIOD;
        profile->meta.objects_sampled = true;
        mp_samples_scale(profile);
        ck_assert_uint_eq(profile->meta.n_samples, met_objects + met_blocks);
        mp_profile_totals(profile, &totals);
        ck_assert_uint_eq(totals.objects, n);
        ck_assert_uint_eq(totals.object_bytes, (uint64_t)n * (size + owned));
        estimate = mp_counts_estimate(&totals.lisp, MP_FIGURE_ALLOCS);
        covered += estimate.low <= n && n <= estimate.high;
        estimate = mp_counts_estimate(&totals.lisp, MP_FIGURE_BYTES);
        bytes_covered += (double)estimate.low <= bytes && bytes <= (double)estimate.high;
        sum += (double)totals.lisp.allocs;
        mp_profile_free(profile);
    }
    printf("# objects %d: %.1f %% of numbers, %.1f %% of bytes\n", _i, 100.0 * covered / RUNS,
           100.0 * bytes_covered / RUNS);
    ck_assert_double_gt(covered, RUNS * 0.95 - 4 * sqrt(RUNS * 0.95 * 0.05));
    ck_assert_double_gt(bytes_covered, RUNS * 0.95 - 4 * sqrt(RUNS * 0.95 * 0.05));
    ck_assert_double_lt(fabs(sum / RUNS - n), 4 * sqrt(n * (1 - p) / p / RUNS) + 0.5);
}

TEST(what_is_exact_has_no_interval)
{
    const struct mp_counts counts = {.allocs = 7, .bytes = 70};
    struct mp_estimate estimate = mp_counts_estimate(&counts, MP_FIGURE_BYTES);

    ck_assert(estimate.exact);
    ck_assert_uint_eq(estimate.value, 70);
    ck_assert_uint_eq(estimate.low, 70);
    ck_assert_uint_eq(estimate.high, 70);
    ck_assert_uint_eq(mp_estimate_error(&estimate), 0);
}

/* If no block was sampled, the upper bound is 3.7 times the number of blocks that a sample represents. */
TEST(no_samples_say_something)
{
    struct mp_estimate estimate = mp_estimate(0, 0, 1000);

    ck_assert(!estimate.exact);
    ck_assert_uint_eq(estimate.low, 0);
    ck_assert_uint_ge(estimate.high, 3600);
    ck_assert_uint_le(estimate.high, 3700);
}

/* A part of the program without samples may have allocated at most `unseen` blocks, the smallest ones of the program.
 * If it had allocated one block more, all of them would be missed in less than 1 of 40 runs. */
TEST_EACH(what_is_not_seen_is_bounded, chains)
{
    struct mp_profile *profile = mp_profile_new();
    double missed = 1, all = 0;
    uint64_t blocks = 0;

    for (unsigned i = 0; i < 3; i++) {
        unsigned bin = chains[_i].size[i] < MP_BIN_LARGE ? chains[_i].size[i] : MP_BIN_LARGE;

        profile->bins[bin].allocs += chains[_i].n[i];
        all += chains[_i].n[i];
    }
    profile->meta.sample_period = PERIOD;
    mp_samples_scale(profile);
    for (unsigned i = 0; i < 3; i++)
        for (unsigned j = 0; j < chains[_i].n[i]; j++) {
            double size = chains[_i].size[i] < MP_BIN_LARGE ? chains[_i].size[i] : MP_BIN_LARGE;

            missed *= 1 - -expm1(-size / PERIOD);
            blocks += missed >= 1.0 / 40;
        }
    ck_assert_uint_le(profile->unseen, (uint64_t)all);
    ck_assert_uint_eq(profile->unseen, blocks);
    mp_profile_free(profile);
}

TEST(parts_without_samples)
{
    const struct mp_spread none = {0}, some = {.frees = 10, .most = 10};
    struct mp_estimate estimate = mp_estimate_part(7, &none, 100);

    ck_assert(!estimate.exact);
    ck_assert_uint_eq(estimate.value, 7);
    ck_assert_uint_eq(estimate.low, 7);
    ck_assert_uint_eq(estimate.high, 107);
    ck_assert(mp_estimate_part(7, &none, 0).exact);
    ck_assert_uint_eq(mp_estimate_part(9, &some, 100).low, mp_estimate_allocs(9, &some).low);
    ck_assert_uint_eq(mp_estimate_part(9, &some, 100).high, mp_estimate_allocs(9, &some).high + 100);
}

/* The interval of many samples is 1.96 standard deviations wide to each side. */
TEST(many_samples_are_normal)
{
    struct mp_estimate estimate = mp_estimate(1000000, 1e8, 100);

    ck_assert_uint_ge(estimate.value - estimate.low, 19200);
    ck_assert_uint_le(estimate.value - estimate.low, 19700);
    ck_assert_uint_ge(estimate.high - estimate.value, 19600);
    ck_assert_uint_le(estimate.high - estimate.value, 20200);
}

/* Each of a hundred chains has a sample that represents 1.58 blocks. Their rounded numbers add up to 158. */
TEST(rounding_has_no_bias)
{
    struct mp_profile *profile = mp_profile_new();
    struct mp_cell cells[100];
    uint64_t sum = 0;

    for (uint32_t i = 0; i < 100; i++)
        cells[i] = (struct mp_cell){.context = i, .size_min = 4096, .size_max = 4096,
                                    .counts = {.allocs = 1, .bytes = 4096}};
    profile->samples = cells;
    profile->n_samples = 100;
    profile->meta.sample_period = PERIOD;
    mp_samples_scale(profile);
    for (uint32_t i = 0; i < 100; i++) {
        const struct mp_basic_counts *counts = &profile->cells[i].counts;

        ck_assert(counts->allocs == 1 || counts->allocs == 2);
        ck_assert_uint_eq(counts->bytes, counts->allocs * 4096);
        sum += counts->allocs;
    }
    ck_assert_uint_eq(sum, 158);
    ck_assert_uint_eq(profile->meta.n_samples, 100);
    mp_profile_free(profile);
}
/* SPDX-License-Identifier: MIT */
