/* SPDX-License-Identifier: MIT */
/*
 * reach.h -- finds the objects that are reachable from roots, and how. Weak references are not followed.
 *
 * mprof heap and mprof leaks use it. Nothing here recurses, so lists may be of any length. References must be in
 * memory.
 */
#ifndef MP_REACH_H
#define MP_REACH_H

#include "heap.h"

enum mp_reach {
    MP_REACH_NOT,
    MP_REACH_INSIDE,            /* reachable only by paths with at least one reference to the inside of an object */
    MP_REACH_START              /* reachable by references to starts of objects only */
};

/* Leaves out references from nodes to which only stacks and threads lead to objects to which other roots lead, as weak
 * references are left out. Words on stacks and in threads may be leftovers of earlier calls, so the other roots are the
 * better explanation why such an object is alive. Valid until the tops of HEAP are made again. */
void mp_heap_prefer_lasting(struct mp_heap *heap);

/* Returns, by node, how it is reachable (enum mp_reach) from roots of the given KINDS. KINDS has the bits 1u << enum
 * mp_heap_root_kind; UINT32_MAX means all kinds. The caller frees the result. */
uint8_t *mp_heap_reach(const struct mp_heap *heap, uint32_t kinds);

/* Returns, by node, whether it is reachable from the node of all roots without passing through nodes of the set. The
 * exact retained size of a set is the size of its objects and of all objects that are reachable only through the set.
 * The caller frees the result. */
typedef bool mp_heap_in_set(const struct mp_heap *heap, uint32_t node, const void *data);
bool mp_heap_in_none(const struct mp_heap *heap, uint32_t node, const void *data);
uint8_t *mp_heap_reach_without(const struct mp_heap *heap, mp_heap_in_set *in_set, const void *data);

/* Returns, by node, whether it is NODE or reachable from it. The caller frees the result. */
uint8_t *mp_heap_reach_from(const struct mp_heap *heap, uint32_t node);

/* Adds to the N sums, for each set of roots, the objects that are reachable from roots of this set only. SET_OF has,
 * by top, the number of its set, below N, or MP_NO_ID if it is in no set. */
struct mp_heap_sum {
    uint64_t objects, bytes;
};
void mp_heap_only_from(const struct mp_heap *heap, const uint32_t *set_of, uint32_t n, struct mp_heap_sum *sums);

/* Returns a shortest path from the node FROM to a node of the set, as nodes from first to last, and sets *N to their
 * number. Returns NULL if FROM does not lead to the set. The caller frees the result. */
uint32_t *mp_heap_path(const struct mp_heap *heap, uint32_t from, mp_heap_in_set *in_set, const void *data,
                       uint32_t *n);

/* Finds the roots from which shortest paths lead to the objects of a set that are not parts of others. */
struct mp_heap_origins {
    struct mp_heap_origin { uint32_t top; uint64_t objects; } *list;    /* most objects first */
    uint32_t n;
    uint64_t objects;           /* the sum over the list */
    uint32_t *path, n_path;     /* a shortest path from the first root of the list to one of its objects, which is in
                                   the middle of them by address */
};
struct mp_heap_origins mp_heap_origins(const struct mp_heap *heap, mp_heap_in_set *in_set, const void *data);
void mp_heap_origins_free(struct mp_heap_origins *origins);

#endif
