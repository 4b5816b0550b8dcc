/*
 * nested_recorder.h -- recorders for hooks within hooks: see nested_recorder.c.
 */
#ifndef MP_NESTED_RECORDER_H
#define MP_NESTED_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

struct mp_recorder;
struct mp_thread;

/* Is the hook that SELF is busy with interrupted, seen from a hook with frame FRAME?  Hooks that were
 * left for good are forgotten. */
bool mp_session_interrupted(struct mp_thread *self, uintptr_t frame);

/* All hooks that SELF was in were left for good. */
void mp_session_all_left(struct mp_thread *self);

/* A recorder for the hook with frame FRAME alone, which SELF is busy with then.  NULL: nothing is to
 * be recorded. */
struct mp_recorder *mp_session_lend(struct mp_thread *self, uintptr_t frame);

/* Its hook leaves; SELF is busy again with what was interrupted. */
void mp_session_lent_back(struct mp_thread *self, struct mp_recorder *recorder);

#endif
