/*
 * lifetimes.h -- how long the blocks of a cell lived that were freed, in bytes allocated meanwhile, where that
 * was recorded: see struct mp_live_lifetimes.
 *
 * Few recordings have it, so a cell has a pointer.  Views of a profile point to the same sums: they are changed
 * only by who has made them.
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

/* Sums of buckets FROM to END - 1. */
struct mp_lived {
    uint64_t blocks, bytes;
};
struct mp_lived mp_lifetimes_between(const struct mp_lifetimes *lifetimes, unsigned from, unsigned end);

/* Those of blocks that lived a short time; all. */
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

/* Are they of blocks that COUNTS has as freed? */
struct mp_counts;
bool mp_lifetimes_fit(const struct mp_lifetimes *lifetimes, const struct mp_counts *counts);

/* Add FROM, NULL: nothing, to *TO, which the caller has made, or is NULL: then it is made in ARENA. */
void mp_lifetimes_add(struct mp_lifetimes **to, const struct mp_lifetimes *from, struct mp_arena *arena);

#endif
