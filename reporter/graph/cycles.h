/*
 * cycles.h -- what is inside of a merged cycle.
 *
 * A chain enters a cycle at most once, and leaves it at most once.  Each byte that was allocated on
 * behalf of a cycle therefore has one allocating function, at the inner end of its chain, and one
 * innermost member, which allocates it or calls a function outside that does; rows of either kind
 * add up to the cycle's `inclusive`.  The arcs between members overlap: a chain takes many of them.
 */
#ifndef MP_CYCLES_H
#define MP_CYCLES_H

#include "reduce.h"

/* Cycles whose insides are told, by number.  Nested in each other, of which a damaged file may
 * have any number, each has its own figure for each function below it. */
#define MP_CYCLES_TOLD 1000u

/* What is needed of the profile, for all cycles together: memory in proportion to the profile. */
struct mp_cycles;

/* Rows come by bytes, decreasing; same_cycle: a member. */
struct mp_inside {
    struct mp_row *allocators;  uint32_t n_allocators;
    struct mp_row *innermost;   uint32_t n_innermost;
    const struct mp_arc **arcs; uint32_t n_arcs;        /* by bytes, self-arcs among them */
};

/* REDUCED must outlive the result, which the caller frees with mp_cycles_free(). */
struct mp_cycles *mp_cycles_new(const struct mp_reduced *reduced);
void mp_cycles_free(struct mp_cycles *cycles);

/* CYCLE: the entry of a whole cycle, of a number up to MP_CYCLES_TOLD.  What INSIDE points to is in
 * ARENA.  Time in proportion to the cycle's size and to the different ways (cycles of a chain, and
 * who allocated) of the profile, not to its contexts. */
void mp_cycles_inside(struct mp_cycles *cycles, const struct mp_entry *cycle,
                      struct mp_arena *arena, struct mp_inside *inside);

#endif
