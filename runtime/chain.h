/*
 * chain.h -- from the hook's frame to the context of the whole chain of its callers.
 */
#ifndef MP_CHAIN_H
#define MP_CHAIN_H

#include "recorder.h"

/* The context of the chain whose innermost frame is the caller of the function with frame address
 * HOOK_FRAME (__builtin_frame_address(0) of a function compiled with a frame pointer).
 * 0: no memory for it. */
uint32_t mp_chain_capture(struct mp_recorder *recorder, const void *hook_frame);

/* The ways of capturing; mp_chain_capture() is set to one of them by mp_chain_select(). */
void mp_chain_select(void);

/* For the ways that list a chain anew each time (chain_list.c): make recorder->stepped[0..n) hold
 * N more; false: no memory. */
bool mp_chain_stepped_room(struct mp_recorder *recorder, uint32_t n);

/* Room for N frames in MEMO. */
bool mp_chain_memo_room(struct mp_memo *memo, uint32_t n);

/* One step by rule, for chain_list.c: from the frame with *KEY, *SP, *FP to its caller.  False: it
 * has none, or the chain is cut for the reason put into *MARK. */
bool mp_chain_step(uint64_t *key, uint64_t *sp, uint64_t *fp, uint32_t *mark);

/* Code was unloaded: libunwind's cache of steps is not to be trusted from now on. */
void mp_chain_code_unloaded(void);

uint32_t mp_chain_memoised(struct mp_recorder *recorder, const void *hook_frame);  /* chain_memo.c */
uint32_t mp_chain_listed(struct mp_recorder *recorder, const void *hook_frame);    /* chain_list.c */

#endif
