/* SPDX-License-Identifier: MIT */
/*
 * nested.h -- decides about a hook that is entered while its thread is already in another hook. Either a signal
 * handler interrupted the older hook, and then the newer one is lent a recorder, or a longjmp left it for good.
 */
#ifndef MP_NESTED_H
#define MP_NESTED_H

#include <stdbool.h>
#include <stdint.h>

struct mp_recorder;
struct mp_thread;

/*
 * Compares the frame addresses of two hooks on the stack. Returns true if the older hook was left for good. Stacks
 * grow down, so on the same stack the hook of a handler is located below the hook that it interrupted. If the newer
 * hook is located at or above the older one, a longjmp out of a signal handler left the older one. The kernel
 * reports whether the thread is on the alternate signal stack.
 */
bool mp_nested_was_left(uintptr_t older, uintptr_t newer);

/* Returns true if a hook with frame FRAME interrupted nothing. Walks the stack by rules; returns false on machines
 * without them. */
bool mp_nested_is_alone_at(uintptr_t frame);

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
