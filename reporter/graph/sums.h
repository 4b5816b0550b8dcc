/*
 * sums.h -- allocations, and bytes by column of a breakdown. These are the figures of nodes and arcs.
 *
 * Sums stop at UINT64_MAX instead of wrapping around, because a damaged file may contain any figures.
 */
#ifndef MP_SUMS_H
#define MP_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "breakdown_kinds.h"

struct mp_sums {
    uint64_t allocs;
    uint64_t bytes[MP_COLUMNS];
    uint64_t kept[MP_COLUMNS];  /* see struct mp_counts */
    int64_t peak;               /* bytes alive at the peak */
    uint64_t temporary;         /* number of blocks */
    struct mp_spread spread;    /* variances of allocs, and of the bytes and kept bytes of all columns together */
};

static inline void
mp_sums_add(struct mp_sums *to, const struct mp_sums *from)
{
    to->allocs = mp_plus(to->allocs, from->allocs);
    for (unsigned i = 0; i < MP_COLUMNS; i++) {
        to->bytes[i] = mp_plus(to->bytes[i], from->bytes[i]);
        to->kept[i] = mp_plus_kept(to->kept[i], from->kept[i]);
    }
    to->peak = mp_plus_signed(to->peak, from->peak);
    to->temporary = mp_plus(to->temporary, from->temporary);
    mp_spread_add(&to->spread, &from->spread);
}

static inline uint64_t
mp_sums_bytes(const struct mp_sums *sums)
{
    uint64_t all = 0;

    for (unsigned i = 0; i < MP_COLUMNS; i++)
        all = mp_plus(all, sums->bytes[i]);
    return all;
}

static inline uint64_t
mp_sums_kept(const struct mp_sums *sums)
{
    uint64_t all = 0;

    for (unsigned i = 0; i < MP_COLUMNS; i++)
        all = mp_plus_kept(all, sums->kept[i]);
    return all;
}

/* Returns SUMS as counts, with everything that an estimate needs. Other figures are 0. */
static inline struct mp_counts
mp_sums_counts(const struct mp_sums *sums)
{
    return (struct mp_counts){.allocs = sums->allocs, .bytes = mp_sums_bytes(sums),
                              .kept = mp_sums_kept(sums), .peak_bytes = sums->peak,
                              .temporary = sums->temporary, .spread = sums->spread};
}

/* See mp_counts_any(). */
static inline bool
mp_sums_any(const struct mp_sums *sums)
{
    return sums->allocs > 0 || mp_sums_bytes(sums) > 0 || mp_sums_kept(sums) != 0;
}

#endif
