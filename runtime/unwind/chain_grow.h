/*
 * chain_grow.h -- room for longer chains in a recorder.
 *
 * Called by the recorder's own thread.  Signals are blocked while an array and its size change, so
 * that no handler jumps away between the two.
 */
#ifndef MP_CHAIN_GROW_H
#define MP_CHAIN_GROW_H

#include "runtime/record/recorder.h"

/* Room for N frames in MEMO; what it holds may move.  False: no memory. */
bool mp_chain_grow_memo(struct mp_memo *memo, uint32_t n);

/* Room for N frames in recorder->stepped; what it holds may move.  False: no memory. */
bool mp_chain_grow_stepped(struct mp_recorder *recorder, uint32_t n);

/* Room for N keys in recorder->keys; what it held is lost.  False: no memory. */
bool mp_chain_grow_keys(struct mp_recorder *recorder, size_t n);

#endif
