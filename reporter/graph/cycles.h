/* SPDX-License-Identifier: MIT */
/*
 * cycles.h -- the inside of merged cycles.
 *
 * A chain enters a cycle at most once and leaves it at most once. So each byte allocated on behalf of a cycle
 * has one allocating function, at the inner end of its chain, and one innermost member. That member allocates
 * the byte or calls a function outside that does. The rows of allocating functions add up to the cycle's
 * `inclusive`, and so do the rows of innermost members. The arcs between members overlap, because a chain takes
 * many of them.
 */
#ifndef MP_CYCLES_H
#define MP_CYCLES_H

#include "reduce.h"

/* Maximum number of cycles whose inside is computed. A damaged file may have any number of cycles on one chain, and
 * each has its own figure for each function below it. */
#define MP_CYCLES_TOLD 1000u

/* Sums needed for all cycles. The memory is proportional to the profile's. */
struct mp_cycles;

/* Rows are sorted by bytes, largest first. same_cycle marks members. */
struct mp_inside {
    struct mp_row *allocators;  uint32_t n_allocators;
    struct mp_row *innermost;   uint32_t n_innermost;
    const struct mp_arc **arcs; uint32_t n_arcs;        /* sorted by bytes; includes self-arcs */
};

/* Returns the sums for mp_cycles_inside(). REDUCED must outlive them. The caller frees them with
 * mp_cycles_free(). */
struct mp_cycles *mp_cycles_new(const struct mp_reduced *reduced);
void mp_cycles_free(struct mp_cycles *cycles);

/* Fills INSIDE, with lists in ARENA. CYCLE is the entry of a whole cycle with a number of at most
 * MP_CYCLES_TOLD. The time is proportional to the cycle's size and to the number of different ways (see
 * cycles.c), not of contexts. */
void mp_cycles_inside(struct mp_cycles *cycles, const struct mp_entry *cycle,
                      struct mp_arena *arena, struct mp_inside *inside);

#endif
