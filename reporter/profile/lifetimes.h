/* SPDX-License-Identifier: MIT */
/*
 * lifetimes.h -- lifetimes of a cell's freed blocks, in bytes allocated meanwhile. See struct mp_live_lifetimes.
 *
 * Few recordings have lifetimes, so a cell has a pointer to them, see struct mp_cell_rest.
 */
#ifndef MP_LIFETIMES_H
#define MP_LIFETIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "reporter/base/arena.h"
#include "runtime/format.h"

struct mp_lifetimes {
    uint64_t blocks[MP_LIFETIMES], bytes[MP_LIFETIMES];
};

/* Returns the sums of buckets FROM to END - 1. */
struct mp_lived {
    uint64_t blocks, bytes;
};
struct mp_lived mp_lifetimes_between(const struct mp_lifetimes *lifetimes, unsigned from, unsigned end);

/* Return the sums of short-lived blocks, and of all blocks. */
static inline struct mp_lived
mp_lifetimes_short(const struct mp_lifetimes *lifetimes)
{
    return mp_lifetimes_between(lifetimes, 0, MP_LIFETIMES_SHORT);
}

static inline struct mp_lived
mp_lifetimes_all(const struct mp_lifetimes *lifetimes)
{
    return mp_lifetimes_between(lifetimes, 0, MP_LIFETIMES);
}

/* Returns whether COUNTS has at least as many freed blocks and bytes as LIFETIMES. */
struct mp_basic_counts;
bool mp_lifetimes_fit(const struct mp_lifetimes *lifetimes, const struct mp_basic_counts *counts);

/* Adds FROM to *TO. FROM may be NULL. If *TO is NULL, it is created in ARENA; otherwise the caller must have
 * created it. */
void mp_lifetimes_add(struct mp_lifetimes **to, const struct mp_lifetimes *from, struct mp_arena *arena);

#endif
