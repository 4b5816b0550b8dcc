/*
 * chain.h -- from the hook's frame to the context of the whole chain of its callers.
 */
#ifndef MP_CHAIN_H
#define MP_CHAIN_H

#include "chain_deep.h"
#include "chain_known.h"
#include "machine.h"
#include "runtime/compiler.h"
#include "runtime/record/recorder.h"

/* Capture the chain of HOOK_FRAME's callers, which is not a known one.  0: no memory. */
typedef uint32_t mp_chain_capture_fn(struct mp_recorder *recorder, const void *hook_frame);

/* chain_memo.c, chain_unmemoised.c */
mp_chain_capture_fn mp_chain_memoised, mp_chain_unmemoised;

/* The one that is in use.  mp_chain_select() chooses it by the options, with the gate's lock,
 * before threads notice that a recording begins. */
extern MP_HIDDEN mp_chain_capture_fn *mp_chain_capture_in_use;
void mp_chain_select(void);

/*
 * The context of the chain whose innermost frame is the caller of the function with frame address
 * HOOK_FRAME (__builtin_frame_address(0) of a function compiled with a frame pointer); 0: no
 * memory.  Here is only the most common case: the chain is a known one.
 */
MP_INLINE uint32_t
mp_chain_capture(struct mp_recorder *recorder, const void *hook_frame)
{
    struct mp_known_chain *known = mp_known_find(recorder, hook_frame);

    if (MP_UNLIKELY(!known))
        return mp_chain_capture_in_use(recorder, hook_frame);
    known->met = 1;
    return known->context;
}

/* RECORDER's thread goes back to the program, which ran none of the time since the last capture.  Who has
 * captured a chain calls this before the hook leaves, whatever became of it: left to a later hook, which
 * need not have captured one, it would take for the monitor's time what was the program's. */
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
