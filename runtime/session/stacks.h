/*
 * stacks.h -- how deep the stacks of threads were whose recorder serves another one now.
 *
 * A recorder keeps one word for its present thread, and of those before it the deepest for each function that
 * threads begin with, in a table that does not grow: ten thousand threads of one function are one row.
 */
#ifndef MP_STACKS_H
#define MP_STACKS_H

#include "runtime/record/recorder.h"

/* RECORDER was taken for another thread than it had before.  Lock held. */
void mp_stacks_thread_ended(struct mp_recorder *recorder);

/* RECORDER, which was lent to the thread of OWN (NULL: it has none), is given back: what it saw was that
 * thread's stack.  Lock held. */
void mp_stacks_lent_back(struct mp_recorder *recorder, struct mp_recorder *own);

#endif
