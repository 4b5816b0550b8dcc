/* SPDX-License-Identifier: MIT */
#include "sample_rate.h"

#define FRACTION 48u                    /* fractional bits of a logarithm */
#define LN_2     UINT64_C(6393154322601327829)  /* ln(2) * 2^63 */

__extension__ typedef unsigned __int128 wide;   /* type of products */

uint64_t
mp_sample_random(uint64_t *random)
{
    uint64_t z = *random += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static uint64_t
product(uint64_t a, uint64_t b, unsigned shift)
{
    return (uint64_t)((wide)a * b >> shift);
}

/* Returns -log2(U / 2^64) for U > 0, from 0 to 64, with FRACTION fractional bits. Computes the logarithm of the
 * mantissa bit by bit: squaring doubles it, and its integer part, 0 or 1, is the next bit. */
static uint64_t
minus_log2(uint64_t u)
{
    unsigned zeros = (unsigned)__builtin_clzll(u);
    uint64_t mantissa = u << zeros, bits = 0;   /* from 1 to 2, with 63 fractional bits */

    for (unsigned i = 0; i < FRACTION; i++) {
        wide square = (wide)mantissa * mantissa;
        unsigned bit = (unsigned)(square >> 127);

        bits = bits << 1 | bit;
        mantissa = (uint64_t)(square >> (63 + bit));
    }
    return ((uint64_t)(zeros + 1) << FRACTION) - bits;
}

uint64_t
mp_sample_distance(uint64_t *random, uint32_t period)
{
    uint64_t u = mp_sample_random(random);

    return product(product(minus_log2(u | (u == 0)), LN_2, 63), period, FRACTION);
}

/* Let X be SIZE / PERIOD. The result is PERIOD * X / p(X). For small X, X / p(X) = X / (1 - exp(-X)) = 1 + X/2 +
 * X^2/12 - ... Otherwise p is computed for a small part of X and doubled repeatedly by p(2X) = p(X) * (2 - p(X)). */
uint64_t
mp_sample_weight(uint32_t period, size_t size)
{
    uint64_t s = size > 0 ? size : 1, x, p;
    unsigned halved = 0;

    if (s / 32 >= period)
        return s;
    if (s <= period / 8)
        return period + s / 2 + s * s / (12 * (uint64_t)period);
    x = (s << 31) / period;             /* 31 fractional bits */
    for (; x >> 25; x >>= 1)
        halved++;
    p = x - (x * x >> 32) + (x * (x * x >> 31) >> 31) / 6;
    while (halved-- > 0)
        p = p * ((UINT64_C(2) << 31) - p) >> 31;
    return (s << 31) / p;
}
