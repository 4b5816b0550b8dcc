/*
 * dominate.h -- who holds what: the dominator tree of a heap, and the retained sizes in it.
 *
 * A node dominates another if every way from the roots to that leads over it; what an object dominates goes when it
 * goes, and the sum of these sizes is its retained size.  What the roots do not reach is in no tree.
 *
 * The tree is kept in its own preorder: position 0 is the node of all roots, behind each node stands all that it
 * dominates, and the sizes are summed up along it, so that the retained size of any is a difference.
 *
 * The algorithm is semi-NCA: L. Georgiadis, "Linear-Time Algorithms for Dominators and Related Problems", Princeton
 * 2005, TR-737-05, and L. Georgiadis, R. E. Tarjan, R. F. Werneck, "Finding Dominators in Practice", Journal of Graph
 * Algorithms and Applications 10 (2006), 69-94; its semidominators are those of T. Lengauer and R. E. Tarjan, "A Fast
 * Algorithm for Finding Dominators in a Flowgraph", ACM TOPLAS 1 (1979), 121-141.  Its bound is quadratic, but what
 * makes it slow does not come about in heaps.  K. D. Cooper, T. J. Harvey and K. Kennedy's ("A Simple, Fast Dominance
 * Algorithm", 2001) does need quadratic time for a long list whose elements refer to its head, and Lengauer and
 * Tarjan's own takes an array more.
 *
 * References are in memory, by what refers, as long as the depth-first search lasts, and then are read again, by what
 * is referred to: there is never room for both.
 */
#ifndef MP_DOMINATE_H
#define MP_DOMINATE_H

#include "heap.h"

struct mp_dominators {
    uint32_t n;                 /* nodes that are reached, tops with them */
    uint32_t *at;               /* by position: the node */
    uint32_t *span;             /* by position: how many the node dominates, itself with them */
    uint64_t *sum;              /* by position, n + 1 of them: bytes of all nodes before it */
    uint64_t bytes;             /* of objects that are reached, */
    uint64_t objects;           /* and their number */
};

/* The references of HEAP are forgotten: who needs them besides a tree makes use of them before, or recalls them.
 * False and *ERROR: they could not be read. */
bool mp_dominate(struct mp_heap *heap, struct mp_dominators *dominators, struct mp_error *error);
void mp_dominators_free(struct mp_dominators *dominators);

/* Bytes that the node at POSITION retains. */
static inline uint64_t
mp_retained(const struct mp_dominators *dominators, uint32_t position)
{
    return dominators->sum[position + dominators->span[position]] - dominators->sum[position];
}

/* Where NODE is; MP_NO_ID: nothing reaches it.  It is looked for. */
uint32_t mp_dominators_find(const struct mp_dominators *dominators, uint32_t node);

/* The position of the immediate dominator of the one at POSITION > 0.  It is looked for. */
uint32_t mp_dominators_parent(const struct mp_dominators *dominators, uint32_t position);

#endif
