/* SPDX-License-Identifier: MIT */
/*
 * cct.h -- the calling-context tree (Ammons, Ball, Larus, PLDI 1997). It has one node for each distinct chain of
 * callers; the parent is the chain without the innermost frame.
 *
 * A new child of the recorder's newest context continues that context's run of slots. Any other child begins a
 * run and is called a *branch*. So a chain of new frames needs 4 bytes for each and one header, and the first
 * child of a context is usually in the next slot.
 */
#ifndef MP_CCT_H
#define MP_CCT_H

#include "cct_slots.h"
#include "recorder.h"
#include "runtime/system/hash.h"

/* Maximum number of a context's branches in its list. Further ones are in a hash table. */
#define MP_CCT_LIST 8

/* Slow path of mp_cct_child(). Called if the child is neither in the next slot nor in the cache. */
uint32_t mp_cct_find(struct mp_recorder *recorder, uint32_t parent, uint32_t frame);

MP_INLINE uint64_t
mp_cct_key(uint32_t parent, uint32_t frame)
{
    return (uint64_t)parent << 32 | frame;
}

MP_INLINE struct mp_recent_child *
mp_cct_recent(struct mp_recorder *recorder, uint32_t parent, uint32_t frame)
{
    return &recorder->recent[mp_hash_pair(parent, frame, 64 - MP_RECENT_BITS)];
}

/* Returns the context of FRAME called in context PARENT, which is 0 for the outermost frame. Creates it if
 * necessary. Returns 0 if there is no space. If recursion is folded (fold.h), the result may be the child of a
 * context further out. If FRAME is the monitor's own, which is no part of the program's chain, returns PARENT. */
MP_INLINE uint32_t
mp_cct_child(struct mp_recorder *recorder, uint32_t parent, uint32_t frame)
{
    const struct mp_recent_child *recent;

    if (mp_cct_frame(parent + 1) == frame)
        return recorder->last_child = parent + 1;
    recent = mp_cct_recent(recorder, parent, frame);
    if (MP_LIKELY(recent->key == mp_cct_key(parent, frame)))
        return recorder->last_child = recent->context;
    return recorder->last_child = mp_cct_find(recorder, parent, frame);
}

#endif
