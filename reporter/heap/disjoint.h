/* SPDX-License-Identifier: MIT */
/*
 * disjoint.h -- finds everything that keeps an object alive: paths from the roots to it that share no reference, and a
 * smallest set of references whose removal makes it unreachable.
 *
 * The number of paths equals the number of references in the set (K. Menger, "Zur allgemeinen Kurventheorie",
 * Fundamenta Mathematicae 10, 1927). It is the maximum flow from the roots if each reference lets one unit pass. The
 * flow is augmented along shortest paths (J. Edmonds, R. M. Karp, "Theoretical Improvements in Algorithmic Efficiency
 * for Network Flow Problems", JACM 19, 1972). The search runs backwards from the object. Therefore the nodes that the
 * last search reaches, before it fails, are bounded by the cut that is nearest to the object.
 */
#ifndef MP_DISJOINT_H
#define MP_DISJOINT_H

#include "reach.h"

struct mp_heap_link {
    uint32_t from, to;          /* nodes */
    uint32_t reference;         /* index into mp_heap.to */
};

struct mp_heap_way {
    struct mp_heap_link *links; /* from a root (links[0].from) to an object of the set */
    uint32_t n;
};

struct mp_heap_ways {
    struct mp_heap_way *list;
    uint32_t n;                 /* sorted by length, the shortest first */
    bool more;                  /* more paths exist than were asked for; then the cut is not computed */
    struct mp_heap_link *cut;
    uint32_t n_cut;             /* number of references in the cut, equal to the number of paths */
};

/* Finds paths without a common reference from roots to objects of the set, at most MOST. IN_SET decides whether an
 * object is in the set, and gets DATA. The result is allocated in ARENA. The references of HEAP must be in memory. */
struct mp_heap_ways mp_heap_disjoint(const struct mp_heap *heap, mp_heap_in_set *in_set, const void *data,
                                     uint32_t most, struct mp_arena *arena);

/* Calls TAKE for each reference, weak or not, to an object of the set, ordered by `from`. References must be in
 * memory. */
typedef void mp_heap_take_link(void *to, const struct mp_heap_link *link, const struct mp_heap_walk *walk);
void mp_heap_referrers(const struct mp_heap *heap, mp_heap_in_set *in_set, const void *data, mp_heap_take_link *take,
                       void *to);

#endif
