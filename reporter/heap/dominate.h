/* SPDX-License-Identifier: MIT */
/*
 * dominate.h -- computes the dominator tree of a heap, and from it retained sizes.
 *
 * A node dominates another node if every path from the roots to the other node passes through the first. When an object
 * is freed, the objects that it dominates become unreachable, too. The retained size of an object is the sum of its own
 * size and the sizes of the objects that it dominates. Objects that the roots do not reach are not in the tree.
 *
 * The tree is stored in preorder. Position 0 is the node of all roots, and each node is followed by all nodes that it
 * dominates. Sizes are summed up in this order, so that each retained size is a difference of two sums.
 *
 * The algorithm is semi-NCA: L. Georgiadis, "Linear-Time Algorithms for Dominators and Related Problems", Princeton
 * 2005, TR-737-05, and L. Georgiadis, R. E. Tarjan, R. F. Werneck, "Finding Dominators in Practice", Journal of Graph
 * Algorithms and Applications 10 (2006), 69-94. Semidominators are those of T. Lengauer and R. E. Tarjan, "A Fast
 * Algorithm for Finding Dominators in a Flowgraph", ACM TOPLAS 1 (1979), 121-141. The worst case is quadratic, but
 * heaps do not have the graphs that cause it. The algorithm of K. D. Cooper, T. J. Harvey and K. Kennedy ("A Simple,
 * Fast Dominance Algorithm", 2001) needs quadratic time for a long list whose elements refer to its head. The
 * algorithm of Lengauer and Tarjan needs one more array.
 *
 * To save memory, references are never stored by source and by target at the same time. The depth-first search needs
 * references by source. Then they are freed, read again from the file, and stored by target.
 */
#ifndef MP_DOMINATE_H
#define MP_DOMINATE_H

#include "heap.h"

struct mp_dominators {
    uint32_t n;                 /* number of reached nodes, including tops */
    uint32_t *at;               /* by position: the node */
    uint32_t *span;             /* by position: number of nodes in its subtree, including itself */
    uint64_t *sum;              /* by position, n + 1 entries: bytes of all nodes before it */
    uint64_t bytes;             /* bytes of all reached objects */
};

/* Computes the dominators of HEAP and frees its references. A caller that needs references afterwards calls
 * mp_heap_recall_references(). Returns false and fills *ERROR if the references could not be read. The caller frees
 * DOMINATORS. */
bool mp_dominate(struct mp_heap *heap, struct mp_dominators *dominators, struct mp_error *error);
void mp_dominators_free(struct mp_dominators *dominators);

/* Returns the bytes that the node at POSITION retains. */
static inline uint64_t
mp_retained(const struct mp_dominators *dominators, uint32_t position)
{
    return dominators->sum[position + dominators->span[position]] - dominators->sum[position];
}

/* Returns the position of NODE, or MP_NO_ID if it is unreachable. Searches linearly. */
uint32_t mp_dominators_find(const struct mp_dominators *dominators, uint32_t node);

/* Returns the position of the immediate dominator of the node at POSITION. Returns 0 for POSITION 0. Searches
 * linearly. */
uint32_t mp_dominators_parent(const struct mp_dominators *dominators, uint32_t position);

#endif
