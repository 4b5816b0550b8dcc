/* The distances of samples are exponentially distributed, and the weights of sampled blocks make estimates unbiased. */
#include "tests/unit/tap.h"

#include <math.h>
#include <stdint.h>

#include "runtime/record/sample_rate.h"

#define DRAWS 400000
#define PARTS 64

/* Checks, for each period, the mean and the standard deviation of the number of whole bytes before a sample point.
 * Checks by Pearson's chi-squared test how many distances fall into each of PARTS intervals of equal probability. */
TEST_LOOP(distances_are_exponential, 0, 4)
{
    static const uint32_t periods[] = {100, 4096, 512 << 10, 64 << 20};
    const double period = periods[_i], mean = 1 / expm1(1 / period);
    const double deviation = sqrt(mean * (mean + 1));
    double sum = 0, squares = 0, chi = 0, expected = (double)DRAWS / PARTS;
    uint64_t random = 1988 + (uint64_t)_i;
    unsigned in[PARTS] = {0};

    for (unsigned i = 0; i < DRAWS; i++) {
        uint64_t bytes = mp_sample_distance(&random, periods[_i]);
        double between = -expm1(-((double)bytes + 0.5) / period);

        sum += (double)bytes;
        squares += ((double)bytes - mean) * ((double)bytes - mean);
        in[(unsigned)(between * PARTS)]++;
    }
    ck_assert_double_lt(fabs(sum / DRAWS - mean), 4 * deviation / sqrt(DRAWS));
    /* The variance of the squared deviations is eight times the square of their mean. */
    ck_assert_double_lt(fabs(squares / DRAWS / (deviation * deviation) - 1), 4 * sqrt(8.0 / DRAWS));
    for (unsigned i = 0; i < PARTS; i++)
        chi += (in[i] - expected) * (in[i] - expected) / expected;
    if (period >= 4096)         /* else whole bytes are too coarse for intervals of equal probability */
        ck_assert_double_lt(chi, PARTS - 1 + 4 * sqrt(2.0 * (PARTS - 1)));
}

/* A block of S bytes is sampled with probability 1 - exp(-S / period), independently of earlier blocks. */
TEST_LOOP(blocks_are_met_as_often_as_they_should, 0, 6)
{
    static const unsigned sizes[] = {1, 16, 100, 1000, 4096, 20000};
    const double p = -expm1(-(double)sizes[_i] / 4096);
    uint64_t random = 7, left = mp_sample_distance(&random, 4096);
    unsigned met = 0;

    for (unsigned i = 0; i < DRAWS; i++) {
        if (left >= sizes[_i]) {
            left -= sizes[_i];
        } else {
            met++;
            left = mp_sample_distance(&random, 4096);
        }
    }
    ck_assert_double_lt(fabs(met - DRAWS * p), 4 * sqrt(DRAWS * p * (1 - p)) + 1);
}

TEST(weights_are_sizes_by_probability)
{
    static const uint32_t periods[] = {1, 100, 4096, 512 << 10, 64 << 20};

    for (unsigned i = 0; i < sizeof periods / sizeof *periods; i++)
        for (uint64_t size = 1; size < (uint64_t)1 << 40; size += size / 3 + 1) {
            double weight = (double)size / -expm1(-(double)size / periods[i]);

            ck_assert_double_lt(fabs((double)mp_sample_weight(periods[i], size) - weight),
                                weight * 1e-6 + 2);
        }
    ck_assert_uint_eq(mp_sample_weight(4096, 0), mp_sample_weight(4096, 1));
}
/* SPDX-License-Identifier: MIT */
