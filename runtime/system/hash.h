/* SPDX-License-Identifier: MIT */
/*
 * hash.h -- hash functions for tables with open addressing.
 *
 * Multiplicative hashing (Knuth, The Art of Computer Programming, volume 3, section 6.4): the highest bits of the
 * product depend on all bits of the key.
 */
#ifndef MP_HASH_H
#define MP_HASH_H

#include "runtime/compiler.h"

/* Returns a hash of KEY with 64 - SHIFT bits, for a table of 1 << (64 - SHIFT) entries. SHIFT is below 64. */
MP_INLINE uint64_t
mp_hash(uint64_t key, unsigned shift)
{
    return key * 0x9e3779b97f4a7c15u >> shift;          /* 2^64 divided by the golden ratio */
}

/* Returns a hash of the pair A and B with 64 - SHIFT bits. Consecutive numbers give different hashes. The weights
 * are powers of the plastic number, which spread such pairs evenly (Roberts, The Unreasonable Effectiveness of
 * Quasirandom Sequences, 2018). */
MP_INLINE uint64_t
mp_hash_pair(uint32_t a, uint32_t b, unsigned shift)
{
    return (a * 0xc13fa9a902a6328fu + b * 0x91e10da5c79e7b1du) >> shift;
}

#endif
