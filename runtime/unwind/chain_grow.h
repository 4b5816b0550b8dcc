/* SPDX-License-Identifier: MIT */
/*
 * chain_grow.h -- enlarges the arrays of a recorder for longer chains.
 *
 * Called by the recorder's own thread. Signals are blocked while an array and its size change, so that no handler
 * jumps away between the two changes.
 */
#ifndef MP_CHAIN_GROW_H
#define MP_CHAIN_GROW_H

#include "runtime/record/recorder.h"

/* Makes the capacity of MEMO at least N frames. Its contents may move. Returns false if there is no memory. */
bool mp_chain_grow_memo(struct mp_memo *memo, uint32_t n);

/* Makes the capacity of recorder->stepped at least N frames. Its first USED frames may move, and others are lost.
 * Returns false if there is no memory. */
bool mp_chain_grow_stepped(struct mp_recorder *recorder, uint32_t used, uint32_t n);

/* Makes the capacity of recorder->keys at least N keys. Its contents are lost. Returns false if there is no memory. */
bool mp_chain_grow_keys(struct mp_recorder *recorder, size_t n);

#endif
