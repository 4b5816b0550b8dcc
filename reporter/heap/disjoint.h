/*
 * disjoint.h -- all that keeps an object alive: ways to it that have no reference in common, and the fewest references
 * without which no root leads to it.
 *
 * There are as many such ways as such references (K. Menger, "Zur allgemeinen Kurventheorie", Fundamenta Mathematicae
 * 10, 1927): the maximum flow from the roots where each reference lets one unit pass.  It is augmented by shortest ways
 * (J. Edmonds, R. M. Karp, "Theoretical Improvements in Algorithmic Efficiency for Network Flow Problems", JACM 19,
 * 1972).  These are looked for from the object on, so that the last search, which finds none, leaves the set of those
 * references that are nearest to the object.
 */
#ifndef MP_DISJOINT_H
#define MP_DISJOINT_H

#include "reach.h"

struct mp_heap_link {
    uint32_t from, to;          /* nodes */
    uint32_t reference;         /* in mp_heap.to */
};

struct mp_heap_way {
    struct mp_heap_link *links; /* from a root, which `from` of the first is, to an object of the set */
    uint32_t n;
};

struct mp_heap_ways {
    struct mp_heap_way *list;
    uint32_t n;                 /* the shortest first */
    bool more;                  /* there are more; else: */
    struct mp_heap_link *cut;
    uint32_t n_cut;             /* as many as ways */
};

/* At most MOST ways to objects of the set, in ARENA.  References must be in memory. */
struct mp_heap_ways mp_heap_disjoint(const struct mp_heap *heap, mp_heap_in_set *in_set, const void *data,
                                     uint32_t most, struct mp_arena *arena);

/* What refers to objects of the set, weakly or not, ascending by `from`: TAKE is called for each reference. */
typedef void mp_heap_take_link(void *to, const struct mp_heap_link *link, const struct mp_heap_walk *walk);
void mp_heap_referrers(const struct mp_heap *heap, mp_heap_in_set *in_set, const void *data, mp_heap_take_link *take,
                       void *to);

#endif
