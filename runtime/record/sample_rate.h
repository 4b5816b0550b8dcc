/*
 * sample_rate.h -- which allocations a sampled recording looks at, and for how much each of them stands.
 *
 * The bytes that a thread allocates are a line on which points lie at random, PERIOD bytes apart in the
 * mean (a Poisson process); an allocation is sampled if a point lies in it.  So a block of s bytes is
 * sampled with probability p(s) = 1 - exp(-s / PERIOD), whatever came before, and 1 / p(s) blocks of its
 * size are an unbiased estimate of how many there were.  A block of 0 bytes counts as one of 1 byte here,
 * so that it can be met at all.
 *
 * This is what the sampling profilers in use do: jemalloc (doc_internal/PROFILING_INTERNALS.md: the wait
 * is drawn once for many allocations, and each stack is weighted by 1 / p of its sizes), tcmalloc
 * (docs/sampling.md), and Go (runtime/mprof.go; nextSample() in runtime/malloc.go draws -ln(U) * rate).
 * The period, 512 KiB unless another is asked for, is theirs, too.
 */
#ifndef MP_SAMPLE_RATE_H
#define MP_SAMPLE_RATE_H

#include <stddef.h>
#include <stdint.h>

/* The next number of a generator whose state is *RANDOM: SplitMix64 (Steele, Lea and Flood, Fast
 * splittable pseudorandom number generators, 2014).  Different states give streams of their own. */
uint64_t mp_sample_random(uint64_t *random);

/* Whole bytes up to the next point: exponentially distributed with mean PERIOD, rounded down.  No
 * approximation shows: the logarithm has 48 exact bits behind the point. */
uint64_t mp_sample_distance(uint64_t *random, uint32_t period);

/* Bytes for which one sampled block of SIZE bytes stands, SIZE / p(SIZE), to within a millionth.  It
 * only tells where the peak is: readers compute the figures themselves. */
uint64_t mp_sample_weight(uint32_t period, size_t size);

#endif
