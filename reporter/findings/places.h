/*
 * places.h -- allocations summed by place, regardless of the callers.
 *
 * Objects of a language belong to a line of the innermost function of the program, not of the runtime (as in
 * reporter/graph/charge.h). Blocks belong to the innermost function that is outside of the library of C or C++. The
 * view has no wrappers any more (reporter/view/skip.h).
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

struct mp_places {
    const struct mp_tree *tree;
    bool (*takes)(const struct mp_tree *tree, uint32_t node, const struct mp_cell *cell);
    struct mp_candidate_place *list;      uint32_t n;
    bool *told;                 /* by place: whether a finding is about it */
    uint32_t *of_node;          /* place of each node; MP_NO_ID if none of its cells count */
    uint32_t *next;             /* next node of the same place for each node; MP_NO_ID at the end */
    uint32_t *owner;            /* node that each node's allocations belong to: the node itself or an ancestor */
    struct mp_counts all;       /* sums, including cells without a chain */
};

/* Sums up the places of the cells for which TAKES returns true, where NODE is the cell's node. The result is
 * allocated in ARENA. */
struct mp_places mp_places_new(const struct mp_tree *tree,
                               bool (*takes)(const struct mp_tree *tree, uint32_t node,
                                             const struct mp_cell *cell),
                               struct mp_arena *arena);

/* Values for TAKES. They accept blocks of malloc and objects, respectively. */
bool mp_places_blocks(const struct mp_tree *tree, uint32_t node, const struct mp_cell *cell);
bool mp_places_objects(const struct mp_tree *tree, uint32_t node, const struct mp_cell *cell);

/* Sums the counted cells of NODE itself, without its children. */
struct mp_counts mp_places_counts(const struct mp_places *places, uint32_t node);

/* Returns the bytes of PLACE that were alive at the peak and freed later. */
uint64_t mp_place_freed_later(const struct mp_candidate_place *place);

/* Returns the place with the most such bytes, or NULL if there are no places. Sets *ALL to the sum over all places. */
const struct mp_candidate_place *mp_places_most_freed_later(const struct mp_places *places, uint64_t *all);

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
