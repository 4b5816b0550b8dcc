/*
 * cct.h -- the calling-context tree (Ammons, Ball, Larus, PLDI 1997): a node for each distinct
 * chain of callers, its parent the chain without the innermost frame.
 *
 * A new child of the recorder's newest context continues that one's run of slots, any other child
 * begins a run: it is a *branch*.  So a chain of new frames takes 4 bytes for each and one header;
 * and where a program goes the way that it went first, the child is the next slot.
 */
#ifndef MP_CCT_H
#define MP_CCT_H

#include "cct_slots.h"
#include "recorder.h"
#include "runtime/system/hash.h"

/* Branches that are looked for one by one; more of a context are found by hash. */
#define MP_CCT_LIST 8

/* Part of mp_cct_child(): what is neither the next slot nor a branch that was found lately. */
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

/* The context of FRAME called in context PARENT (0: outermost), made if need be; 0: no space.
 * Where recursion is folded (fold.h) it may be the child of a context further out. */
MP_INLINE uint32_t
mp_cct_child(struct mp_recorder *recorder, uint32_t parent, uint32_t frame)
{
    const struct mp_recent_child *recent;

    if (mp_cct_frame(parent + 1) == frame)
        return parent + 1;
    recent = mp_cct_recent(recorder, parent, frame);
    if (MP_LIKELY(recent->key == mp_cct_key(parent, frame)))
        return recent->context;
    return mp_cct_find(recorder, parent, frame);
}

#endif
