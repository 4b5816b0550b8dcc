/*
 * chain.h -- from the hook's frame to the context of the whole chain of its callers.
 */
#ifndef MP_CHAIN_H
#define MP_CHAIN_H

#include "machine.h"
#include "runtime/compiler.h"
#include "runtime/record/recorder.h"

/* Capture the chain of HOOK_FRAME's callers.  DIFFERENT: if the innermost frame of the present
 * memo is the caller, the first word that differs from what was remembered; else NULL.  0: no
 * memory. */
typedef uint32_t mp_chain_capture_fn(struct mp_recorder *recorder, const void *hook_frame,
                                     const struct mp_word *different);

/* chain_memo.c, chain_unmemoised.c */
mp_chain_capture_fn mp_chain_memoised, mp_chain_unmemoised;

/* The one that is in use.  mp_chain_select() chooses it by the options, with the gate's lock,
 * before threads notice that a recording begins. */
extern mp_chain_capture_fn *mp_chain_capture_in_use;
void mp_chain_select(void);

/* Compare the words from BEGIN to END with the stack, last first, so that nothing is read beyond
 * the first that differs; that one, or NULL. */
MP_INLINE const struct mp_word *
mp_chain_first_difference(const struct mp_word *begin, const struct mp_word *end)
{
    const struct mp_word *at = end;

    while (at - begin >= 4) {
        if (MP_UNLIKELY(*at[-1].address != at[-1].value))
            return at - 1;
        if (MP_UNLIKELY(*at[-2].address != at[-2].value))
            return at - 2;
        if (MP_UNLIKELY(*at[-3].address != at[-3].value))
            return at - 3;
        if (MP_UNLIKELY(*at[-4].address != at[-4].value))
            return at - 4;
        at -= 4;
    }
    while (at > begin) {
        at--;
        if (MP_UNLIKELY(*at->address != at->value))
            return at;
    }
    return NULL;
}

/*
 * The context of the chain whose innermost frame is the caller of the function with frame address
 * HOOK_FRAME (__builtin_frame_address(0) of a function compiled with a frame pointer).  Here is
 * only the most common case: the chain is the last one, the innermost call included, and not deep.
 */
MP_INLINE uint32_t
mp_chain_capture(struct mp_recorder *recorder, const void *hook_frame)
{
    const struct mp_memo *memo = recorder->memo;
    const struct mp_cached_frame *top = memo->top;
    const struct mp_word *different = NULL;

    if (MP_LIKELY(memo->whole) && top->sp == mp_machine_caller_sp(hook_frame) &&
        top->key == mp_machine_caller_key(hook_frame) &&
        (top->fp == mp_machine_caller_fp(hook_frame) || !top->fp_live)) {
        different = mp_chain_first_difference(memo->words, top->words_end);
        if (MP_LIKELY(!different))
            return top->context;
    }
    return mp_chain_capture_in_use(recorder, hook_frame, different);
}

/* All the time since the last capture was the monitor's own: the program itself ran none of it. */
void mp_chain_note(struct mp_recorder *recorder);

#endif
