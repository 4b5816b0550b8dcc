/*
 * tree.h -- the calling-context tree (Ammons, Ball, Larus, PLDI 1997): a node for each distinct
 * chain of callers, its parent the chain without the innermost frame.
 */
#ifndef MP_TREE_H
#define MP_TREE_H

#include "recorder.h"
#include "store.h"

/* Children that are looked for one by one; more of a node are found by hash. */
#define MP_TREE_LIST 8

uint32_t mp_tree_find(struct mp_recorder *recorder, uint32_t parent, uint32_t frame);

/* The context of FRAME called in context PARENT (0: outermost), made if need be; 0: no space. */
MP_INLINE uint32_t
mp_tree_child(struct mp_recorder *recorder, uint32_t parent, uint32_t frame)
{
    const struct mp_live_context *contexts = mp_store.contexts;
    uint32_t first = parent ? contexts[parent].child : recorder->tree;

    if (MP_LIKELY(first && contexts[first].frame == frame))
        return first;
    return mp_tree_find(recorder, parent, frame);
}

#endif
