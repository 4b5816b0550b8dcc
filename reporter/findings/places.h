/*
 * places.h -- what was allocated, by the place that did it: a function and its line, whoever called it.
 *
 * Objects of a language belong to the innermost function that is the program's, not the runtime's (as in
 * reporter/profile/charge.h).  Blocks belong to the function that allocates them, unless it seems to hand
 * on what others want, as wrappers do whose names were stripped: it is called at eight places or more, and
 * none of them has most of its bytes.  Then they belong to these.
 */
#ifndef MP_FINDINGS_PLACES_H
#define MP_FINDINGS_PLACES_H

#include "reporter/profile/tree.h"

struct mp_place {
    uint32_t first;             /* one of the tree's nodes that belong to it, see mp_places.next */
    uint32_t n_nodes;
    struct mp_counts counts;
    uint32_t size_min, size_max;        /* bytes; min > max: not known */
};

struct mp_places {
    const struct mp_tree *tree;
    bool (*takes)(const struct mp_tree *tree, uint32_t node, const struct mp_cell *cell);
    struct mp_place *list;      uint32_t n;
    uint32_t *of_node;          /* by node: its place; MP_NO_ID: nothing of it counts */
    uint32_t *next;             /* by node: the next one of its place; MP_NO_ID: none */
    uint32_t *owner;            /* by node: it, or the node further out that it belongs to */
    struct mp_counts all;       /* also what was counted on no chain */
};

/* Of the cells that TAKES: is CELL of NODE one of them?  In ARENA. */
struct mp_places mp_places_new(const struct mp_tree *tree,
                               bool (*takes)(const struct mp_tree *tree, uint32_t node,
                                             const struct mp_cell *cell),
                               struct mp_arena *arena);

/* Such are: blocks of malloc, and objects. */
bool mp_places_blocks(const struct mp_tree *tree, uint32_t node, const struct mp_cell *cell);
bool mp_places_objects(const struct mp_tree *tree, uint32_t node, const struct mp_cell *cell);

/* Sums of what NODE has itself and PLACES count. */
struct mp_counts mp_places_counts(const struct mp_places *places, uint32_t node);

/* The node that answers for objects of NODE: where the function of the program's is that called the
 * runtime; NODE, if there is none. */
uint32_t mp_places_user(const struct mp_tree *tree, uint32_t node);

/* A chain that nearly all of a place goes through: as many callers as at least three quarters of it have
 * in common. */
#define MP_WAY_MOST 8u          /* functions at most */

struct mp_way {
    uint32_t node;              /* the heaviest of those with this chain, and where the chain begins: */
    uint32_t user;              /* see mp_places.owner */
    uint32_t calls;             /* how many functions it has, at least 1 */
    uint64_t part, all;         /* what goes through it, of so much */
    uint32_t callers;           /* how many different calls there are beyond it; 0: none */
};

/* By what SORT counts. */
struct mp_way mp_places_way(const struct mp_places *places, const struct mp_place *place,
                            enum mp_sort sort);

#endif
