/* SPDX-License-Identifier: MIT */
/*
 * sample_rate.h -- computes which allocations are sampled, and how many allocations each sample represents.
 *
 * The bytes that a thread allocates form a line with random points, PERIOD bytes apart in the mean (a Poisson
 * process). An allocation that contains a point is sampled. So a block of s bytes is sampled with probability
 * p(s) = 1 - exp(-s / PERIOD), independently of earlier ones, and each sample represents 1 / p(s) blocks of its
 * size, without bias. A block of 0 bytes counts as 1 byte, so that it can be sampled.
 *
 * Other sampling profilers do the same: jemalloc (doc_internal/PROFILING_INTERNALS.md: the distance is drawn once
 * for many allocations, and each stack is weighted by 1 / p of its sizes), tcmalloc (docs/sampling.md), and Go
 * (runtime/mprof.go; nextSample() in runtime/malloc.go draws -ln(U) * rate). The default period, 512 KiB, is also
 * theirs.
 */
#ifndef MP_SAMPLE_RATE_H
#define MP_SAMPLE_RATE_H

#include <stddef.h>
#include <stdint.h>

/* Returns the next number of a generator with state *RANDOM: SplitMix64 (Steele, Lea and Flood, Fast splittable
 * pseudorandom number generators, 2014). Different states give independent streams. */
uint64_t mp_sample_random(uint64_t *random);

/* Returns the number of whole bytes to the next point. The distance is exponentially distributed with mean
 * PERIOD, and is rounded down. The logarithm has 48 exact fractional bits, so the error is negligible. */
uint64_t mp_sample_distance(uint64_t *random, uint32_t period);

/* Returns the number of bytes that a sample of SIZE bytes represents, SIZE / p(SIZE), with a relative error below
 * 1e-6. Used only to find the peak. Readers compute their figures themselves. */
uint64_t mp_sample_weight(uint32_t period, size_t size);

#endif
