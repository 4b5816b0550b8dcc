/* SPDX-License-Identifier: MIT */
/*
 * heap_tree.h -- what the roots of a heap hold, as a tree of bounded size: kinds of roots, their roots, and below a
 * root the types of the objects that it dominates.
 *
 * The objects that a node dominates immediately share a branch if they have the same type. If an object immediately
 * dominates another one of its type, both belong to one branch, so a list is one branch, however long. Objects that
 * several roots hold together, but none alone, are below a branch of their own. Groups of roots have no branches.
 */
#ifndef MP_HEAP_TREE_H
#define MP_HEAP_TREE_H

#include "dominate.h"

#define MP_HEAP_TREE_DEEPEST 8u         /* levels of types below a root */

enum mp_heap_branch_sort {
    MP_BRANCH_ALL, MP_BRANCH_KIND, MP_BRANCH_ROOT,
    MP_BRANCH_SHARED,           /* objects that several kinds of roots, or several roots of one kind, hold together */
    MP_BRANCH_TYPE,
    MP_BRANCH_OTHERS            /* sum of the branches that are left out below the same branch */
};

struct mp_heap_branch {
    enum mp_heap_branch_sort sort;
    uint32_t parent;            /* a lower index; 0 for the first branch */
    uint32_t left;              /* number of branches that MP_BRANCH_OTHERS sums up */
    const char *name, *group;   /* name: "" if shared or others; group: of a root, else "" */
    uint64_t objects, bytes;    /* for roots and kinds, as in mp_heap_top_rows(); else of the branch's own objects */
    uint64_t retained;          /* bytes that the branch retains */
};

struct mp_heap_tree {
    struct mp_heap_branch *list;        /* [0] is MP_BRANCH_ALL */
    uint32_t n;
};

/* Returns at most MOST branches of HEAP: first kinds, then the branches that retain most. If branches below one of them
 * are left out, adds one more branch, which is their sum. Texts and the list are in ARENA. */
struct mp_heap_tree mp_heap_tree(const struct mp_heap *heap, const struct mp_dominators *dominators, uint32_t most,
                                 struct mp_arena *arena);

#endif
