/* SPDX-License-Identifier: MIT */
/*
 * chain.h -- finds the context of the whole chain of a hook's callers.
 *
 * This directory owns the way from a thread's stack to a context: known chains, unwind rules, code and modules. It
 * reads stacks and unwind tables, and writes contexts and frames. A thread calls it in an activation
 * (session/activation.h), and session/ when recording begins and when code is unloaded.
 */
#ifndef MP_UNWIND_CHAIN_H
#define MP_UNWIND_CHAIN_H

#include "chain_deep.h"
#include "chain_known.h"
#include "machine.h"
#include "runtime/compiler.h"
#include "runtime/record/recorder.h"

/* A function that captures the chain of HOOK_FRAME's callers, which is not a known one. Returns the chain's
 * context, or 0 if there is no memory. */
typedef uint32_t mp_chain_capture_fn(struct mp_recorder *recorder, const void *hook_frame);

/* Defined in chain_memo.c, for whole chains and for those of at most recorder->depth frames. */
mp_chain_capture_fn mp_chain_memoised, mp_chain_limited;

/* The capture function in use, one of those or one of chain_unmemoised.c. mp_chain_select() chooses it by the
 * options. It is called with the lock held, before threads notice that a recording begins. */
extern MP_HIDDEN mp_chain_capture_fn *mp_chain_capture_in_use;
void mp_chain_select(void);

/*
 * Returns the context of the chain whose innermost frame is the caller of the function with frame address
 * HOOK_FRAME (__builtin_frame_address(0) of a function compiled with a frame pointer). Returns 0 if there is no
 * memory. Only the most common case, a known chain, is inlined.
 */
MP_INLINE uint32_t
mp_chain_capture(struct mp_recorder *recorder, const void *hook_frame)
{
    struct mp_known_chain *known = mp_known_find(recorder, hook_frame);

    if (MP_UNLIKELY(!known))
        return mp_chain_capture_in_use(recorder, hook_frame);
    known->met = MP_KNOWN_MET;
    return known->context;
}

/* Notes that RECORDER's thread returns to the program. All time since the last capture was the monitor's. Every
 * hook that has captured a chain calls this function before it returns. The next hook could not do it, because it
 * would count time of the program as the monitor's. */
MP_INLINE void
mp_chain_done(struct mp_recorder *recorder)
{
#ifdef MP_HAVE_RULES
    if (MP_UNLIKELY(!recorder->memo->whole))
        mp_deep_note(recorder->memo);
#else
    (void)recorder;
#endif
}

#endif
