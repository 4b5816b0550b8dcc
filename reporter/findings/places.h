/* SPDX-License-Identifier: MIT */
/*
 * places.h -- allocations summed by place, regardless of the callers.
 *
 * Objects of a language belong to a line of the innermost function of the program, not of the runtime (as in
 * reporter/graph/charge.h). Blocks belong to the innermost function that is outside of the library of C or C++. The
 * view does not show allocation wrappers (reporter/view/skip.h).
 */
#ifndef MP_FINDINGS_PLACES_H
#define MP_FINDINGS_PLACES_H

#include "reporter/graph/tree.h"

struct mp_candidate_place {
    uint32_t first;             /* first tree node of the place; mp_places.next links the others */
    uint32_t n_nodes;
    struct mp_counts counts;
    uint32_t size_min, size_max;        /* bytes; min > max if unknown */
};

/* Returns whether CELL, which belongs to NODE, counts for PLACES. */
struct mp_places;
typedef bool mp_places_takes(const struct mp_places *places, uint32_t node, const struct mp_cell *cell);

struct mp_places {
    const struct mp_tree *tree;
    mp_places_takes *takes;
    const void *data;           /* for takes */
    struct mp_candidate_place *list;      uint32_t n;
    bool *told;                 /* by place: whether a finding is about it */
    uint32_t *of_node;          /* place of each node; MP_NO_ID if none of its cells count. NULL if there are no
                                   objects, and these were wanted */
    uint32_t *next;             /* next node of the same place for each node; MP_NO_ID at the end */
    const uint32_t *owner;      /* node that the cells of each node that has some belong to: the node itself or an
                                   ancestor */
    struct mp_counts all;       /* sums, including cells without a chain */
};

/* Sums up the places of the cells for which TAKES, mp_places_blocks() or mp_places_objects(), returns true. The result
 * is allocated in ARENA. */
struct mp_places mp_places_new(const struct mp_tree *tree, mp_places_takes *takes, struct mp_arena *arena);

/* Values for TAKES. They accept blocks of malloc and objects, respectively. */
mp_places_takes mp_places_blocks, mp_places_objects;

/* Sums up PLACES, of which tree, takes, data and owner are set. Nodes with equal KEYS, which are indexed by the first
 * cell of a node in the tree, belong to one place. */
void mp_places_sum(struct mp_places *places, const uint64_t *keys, struct mp_arena *arena);

/* Sums the counted cells of NODE itself, without its children: the basic counts, which take less time, or all. */
struct mp_basic_counts mp_places_basic(const struct mp_places *places, uint32_t node);
struct mp_counts mp_places_counts(const struct mp_places *places, uint32_t node);

/* Returns the bytes of PLACE that were alive at the peak and freed later. */
uint64_t mp_place_freed_later(const struct mp_candidate_place *place);

/* Returns the place for which mp_place_freed_later() is largest, or NULL if there are no places. Sets *ALL to the sum
 * over all places. */
const struct mp_candidate_place *mp_places_most_freed_later(const struct mp_places *places, uint64_t *all);

/* Returns whether NODE's function belongs to the program rather than to the language's runtime. */
bool mp_places_is_users(const struct mp_tree *tree, uint32_t node);

/* Returns the node of the program's function that called the runtime and so caused NODE's objects. Returns NODE if
 * there is no such function. */
uint32_t mp_places_user(const struct mp_tree *tree, uint32_t node);

/* The chain that most of a place's figure goes through: the callers that at least three quarters of the figure have
 * in common. */
#define MP_WAY_MOST 8u          /* maximum number of functions */

struct mp_way {
    uint32_t node;              /* heaviest node with this chain */
    uint32_t user;              /* owner of that node (mp_places.owner), where the chain begins */
    uint32_t calls;             /* number of functions in the chain, at least 1 */
    uint64_t part, all;         /* the part of the figure that goes through the chain, and the whole figure */
    uint32_t callers;           /* number of different calls beyond the chain; 0 if it begins at the outermost frame */
};

/* Returns the way of PLACE, weighted by the figure SORT. */
struct mp_way mp_places_way(const struct mp_places *places, const struct mp_candidate_place *place,
                            enum mp_sort sort);

#endif
