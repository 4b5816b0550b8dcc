/* SPDX-License-Identifier: MIT */
#include "child_index.h"

#define LINKED 8u               /* maximum number of linked children of a node */

uint32_t
mp_child_index_find(struct mp_child_index *children, uint32_t parent, uint32_t key, uint32_t new)
{
    struct mp_child *nodes = children->nodes;
    unsigned n = 0;
    uint32_t far;

    for (uint32_t child = nodes[parent].newest; child != 0; child = nodes[child].older, n++)
        if (nodes[child].key == key)
            return child;
    if (n < LINKED) {
        nodes[new] = (struct mp_child){.older = nodes[parent].newest, .key = key};
        nodes[parent].newest = new;
        return new;
    }
    children->far_nodes = mp_arena_grow(children->far.arena, children->far_nodes, children->far.count,
                                        &children->far_room, sizeof *children->far_nodes);
    far = mp_map_add_u64(&children->far, (uint64_t)parent << 32 | key);
    if (children->far_nodes[far] == 0)
        children->far_nodes[far] = new;
    return children->far_nodes[far];
}
