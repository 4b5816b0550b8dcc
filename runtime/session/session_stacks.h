/*
 * session_stacks.h -- keeps the deepest stacks of threads that have ended.
 *
 * A recorder keeps one word for its present thread. For its earlier threads it keeps a table with the deepest stack
 * of each start function. The table does not grow, so ten thousand threads of one function need one row.
 */
#ifndef MP_SESSION_STACKS_H
#define MP_SESSION_STACKS_H

#include "runtime/record/recorder.h"

/* Moves the stack depth of RECORDER's previous thread into the table. Called when another thread takes RECORDER.
 * Lock held. */
void mp_stacks_thread_ended(struct mp_recorder *recorder);

/* Moves the stack depth that RECORDER saw to OWN, the recorder of the thread that it was lent to. OWN is NULL if
 * the thread has no recorder. Called when RECORDER is given back. Lock held. */
void mp_stacks_lent_back(struct mp_recorder *recorder, struct mp_recorder *own);

#endif
