/* SPDX-License-Identifier: MIT */
/*
 * child_index.h -- finds the children of the nodes of a tree while it is being built.
 *
 * A child is identified by its parent and a key. The first children of a node are linked and searched one by one, the
 * newest first, because most nodes have few, and because the newest one is sought most often. A hash table of all nodes
 * would take a cache miss for each search.
 */
#ifndef MP_CHILD_INDEX_H
#define MP_CHILD_INDEX_H

#include "map.h"

struct mp_child_index {
    struct mp_child {
        uint32_t newest;        /* newest of the linked children of this node, or 0 */
        uint32_t older;         /* next older linked child of its parent, or 0 */
        uint32_t key;
    } *nodes;                   /* by node; 0 is the root */
    struct mp_map far;          /* the children that are not linked, by parent and key */
    uint32_t *far_nodes;        uint32_t far_room;      /* their nodes, by id in `far` */
};

/* Returns an empty table, in ARENA, for a tree of MOST nodes. */
static inline struct mp_child_index
mp_child_index_new(size_t most, struct mp_arena *arena)
{
    return (struct mp_child_index){.nodes = mp_arena_alloc(arena, most * sizeof(struct mp_child)), .far.arena = arena};
}

/* Returns the child of PARENT with KEY. If there is none, makes NEW, a node that has no parent yet, this child and
 * returns it. */
uint32_t mp_child_index_find(struct mp_child_index *children, uint32_t parent, uint32_t key, uint32_t new);

#endif
