/*
 * chain.h -- from the hook's frame to the context of the whole chain of its callers.
 */
#ifndef MP_CHAIN_H
#define MP_CHAIN_H

#include "compiler.h"
#include "recorder.h"

#define MP_WORDS_EQUAL   UINT32_MAX             /* no word differs */
#define MP_WORDS_UNKNOWN (UINT32_MAX - 1)       /* not compared yet */

/* A way of capturing a chain; DIFFERENT: index of the first word of the present memo that differs,
 * if its innermost frame is the caller, else MP_WORDS_UNKNOWN.  0: no memory. */
typedef uint32_t mp_chain_capture_fn(struct mp_recorder *recorder, const void *hook_frame,
                                     uint32_t different);

/* chain_memo.c, chain_list.c; mp_chain_select() chooses one, after the options are read. */
extern mp_chain_capture_fn *mp_chain_way;
mp_chain_capture_fn mp_chain_memoised, mp_chain_listed;
void mp_chain_select(void);

/* Compare words[0..end) with the stack, last first, so that nothing is read beyond the first that
 * differs; its index, or MP_WORDS_EQUAL. */
MP_INLINE uint32_t
mp_chain_first_difference(const struct mp_word *words, uint32_t end)
{
    const struct mp_word *at = words + end;

    while (at - words >= 4) {
        if (MP_UNLIKELY(*at[-1].address != at[-1].value))
            return (uint32_t)(at - 1 - words);
        if (MP_UNLIKELY(*at[-2].address != at[-2].value))
            return (uint32_t)(at - 2 - words);
        if (MP_UNLIKELY(*at[-3].address != at[-3].value))
            return (uint32_t)(at - 3 - words);
        if (MP_UNLIKELY(*at[-4].address != at[-4].value))
            return (uint32_t)(at - 4 - words);
        at -= 4;
    }
    while (at > words) {
        at--;
        if (MP_UNLIKELY(*at->address != at->value))
            return (uint32_t)(at - words);
    }
    return MP_WORDS_EQUAL;
}

/*
 * The context of the chain whose innermost frame is the caller of the function with frame address
 * HOOK_FRAME (__builtin_frame_address(0) of a function compiled with a frame pointer).  Here is
 * only the most common case: the chain is the last one, the innermost call included.
 */
MP_INLINE uint32_t
mp_chain_capture(struct mp_recorder *recorder, const void *hook_frame)
{
    const struct mp_memo *memo = recorder->memo;
    const uint64_t *hook = hook_frame;
    const struct mp_cached_frame *top = memo->frames + memo->n_frames - 1;
    uint32_t different = MP_WORDS_UNKNOWN;

    if (MP_LIKELY(memo->n_frames) && top->sp == (uint64_t)(hook + 2) && top->key == hook[1] &&
        (top->fp == hook[0] || !top->fp_live)) {
        different = mp_chain_first_difference(memo->words, top->words);
        if (MP_LIKELY(different == MP_WORDS_EQUAL))
            return top->context;
    }
    return mp_chain_way(recorder, hook_frame, different);
}

/* For the ways: make recorder->stepped hold at least N; false: no memory. */
bool mp_chain_stepped_room(struct mp_recorder *recorder, uint32_t n);

/* Room for N frames in MEMO. */
bool mp_chain_memo_room(struct mp_memo *memo, uint32_t n);

/* One step by rule, for chain_list.c: from the frame with *KEY, *SP, *FP to its caller.  False: it
 * has none, or the chain is cut for the reason put into *MARK. */
bool mp_chain_step(uint64_t *key, uint64_t *sp, uint64_t *fp, uint32_t *mark);

/* Code was unloaded: libunwind's cache of steps is not to be trusted from now on. */
void mp_chain_code_unloaded(void);

#endif
