/* SPDX-License-Identifier: MIT */
#include "graph_state.h"

#include "runtime/system/hash.h"

uint32_t *
mp_graph_key(struct mp_object_graph *g, unsigned category, uint64_t key)
{
    const uint64_t whole = (uint64_t)category << 56 | (key & (((uint64_t)1 << 56) - 1));
    uint32_t at = (uint32_t)mp_hash(whole, 64 - MP_GRAPH_KEY_BITS);

    while (g->keys[at].key && g->keys[at].key != whole)
        at = (at + 1) % MP_GRAPH_KEYS;
    if (!g->keys[at].key) {
        if (g->n_keys >= MP_GRAPH_KEYS / 2)
            return NULL;
        g->n_keys++;
        g->keys[at].key = whole;
    }
    return &g->keys[at].value;
}
