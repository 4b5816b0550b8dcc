/*
 * nested_recorder.h -- recorders for hooks within hooks; see nested_recorder.c.
 */
#ifndef MP_NESTED_RECORDER_H
#define MP_NESTED_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

struct mp_recorder;
struct mp_thread;

/* Returns whether the hook that SELF is busy with was interrupted by the hook with frame FRAME. Forgets hooks that
 * were left for good. */
bool mp_session_interrupted(struct mp_thread *self, uintptr_t frame);

/* Forgets all hooks that SELF was in, because they were left for good. */
void mp_session_all_left(struct mp_thread *self);

/* Lends SELF a recorder for the hook with frame FRAME alone and makes SELF busy with that hook. Returns NULL if
 * nothing is to be recorded. */
struct mp_recorder *mp_session_lend(struct mp_thread *self, uintptr_t frame);

/* Takes RECORDER back when its hook leaves. SELF is then busy with the interrupted hook again. */
void mp_session_lent_back(struct mp_thread *self, struct mp_recorder *recorder);

#endif
