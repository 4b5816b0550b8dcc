/*
 * chain.h -- from the hook's frame to the context of the whole chain of its callers.
 */
#ifndef MP_CHAIN_H
#define MP_CHAIN_H

#include "runtime/compiler.h"
#include "runtime/record/recorder.h"

/* A way of capturing a chain.  DIFFERENT: if the innermost frame of the present memo is the caller,
 * the first word that differs from what was remembered; else NULL.  0: no memory. */
typedef uint32_t mp_chain_capture_fn(struct mp_recorder *recorder, const void *hook_frame,
                                     const struct mp_word *different);

/* chain_memo.c, chain_unmemoised.c; mp_chain_select() chooses one, after the options are read. */
extern mp_chain_capture_fn *mp_chain_capture_as_set;
mp_chain_capture_fn mp_chain_memoised, mp_chain_unmemoised;
void mp_chain_select(void);

/* Compare the words from BEGIN to END with the stack, last first, so that nothing is read beyond the
 * first that differs; that one, or NULL. */
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
    const uint64_t *hook = hook_frame;
    const struct mp_word *different = NULL;

    if (MP_LIKELY(memo->whole) && top->sp == (uint64_t)(hook + 2) && top->key == hook[1] &&
        (top->fp == hook[0] || !top->fp_live)) {
        different = mp_chain_first_difference(memo->words, top->words_end);
        if (MP_LIKELY(!different))
            return top->context;
    }
    return mp_chain_capture_as_set(recorder, hook_frame, different);
}

/* The time since the capture was the monitor's own; the program did nothing. */
void mp_chain_note(struct mp_recorder *recorder);

/* For the ways: make recorder->stepped hold at least N; false: no memory. */
bool mp_chain_stepped_room(struct mp_recorder *recorder, uint32_t n);

/* Make room for N frames in MEMO; what it holds may move. */
bool mp_chain_memo_grow(struct mp_memo *memo, uint32_t n);

/* One step by rule, for chain_unmemoised.c: from the frame with *KEY, *SP, *FP to its caller, with one WALK
 * for a chain (cfi_step.h).  False: it has none, or the chain is cut for the reason put into *MARK. */
struct mp_cfi_walk;
bool mp_chain_step(struct mp_cfi_walk *walk, uint64_t *key, uint64_t *sp, uint64_t *fp,
                   uint32_t *mark);

/* Is KEY the restorer of a signal frame?  The next address was interrupted, not called. */
bool mp_chain_is_signal_return(uint64_t key);

/* Code was unloaded: libunwind's cache of steps is not to be trusted from now on. */
void mp_chain_code_unloaded(void);

#endif
