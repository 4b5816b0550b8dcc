/*
 * cct.h -- the calling-context tree (Ammons, Ball, Larus, PLDI 1997): a node for each distinct
 * chain of callers, its parent the chain without the innermost frame.
 */
#ifndef MP_CCT_H
#define MP_CCT_H

#include "recorder.h"
#include "runtime/store/store.h"
#include "runtime/system/hash.h"

/* Children that are looked for one by one; more of a node are found by hash. */
#define MP_CCT_LIST 8

/* The same as mp_cct_child(), for what was not found lately. */
uint32_t mp_cct_find(struct mp_recorder *recorder, uint32_t parent, uint32_t frame);

MP_INLINE struct mp_recent_child *
mp_cct_recent(struct mp_recorder *recorder, uint64_t key)
{
    return &recorder->recent[mp_hash(key, 64 - MP_RECENT_BITS)];
}

/* The context of FRAME called in context PARENT (0: outermost), made if need be; 0: no space.
 * Where recursion is folded (fold.h) it may be the child of a context further out. */
MP_INLINE uint32_t
mp_cct_child(struct mp_recorder *recorder, uint32_t parent, uint32_t frame)
{
    uint64_t key = (uint64_t)parent << 32 | frame;
    const struct mp_recent_child *recent = mp_cct_recent(recorder, key);

    if (MP_LIKELY(recent->key == key))
        return recent->context;
    return mp_cct_find(recorder, parent, frame);
}

#endif
