/* SPDX-License-Identifier: MIT */
/*
 * activation.h -- how a thread enters and leaves the monitor.
 *
 * An activation is the time that a thread spends in one hook, from mp_enter() to mp_leave(). The first activation
 * of the process begins the session.
 */
#ifndef MP_ACTIVATION_H
#define MP_ACTIVATION_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/compiler.h"
#include "runtime/record/recorder.h"
#include "runtime/system/gate.h"
#include "runtime/system/thread.h"

struct mp_recorder *mp_activation_enter(struct mp_thread *self, uintptr_t frame);
void mp_activation_leave(struct mp_thread *self, struct mp_recorder *recorder);

/* Enter and leave the monitor in the common case, with self->recorder. FRAME is the frame address of the hook.
 * mp_enter_quickly() returns false if the caller must call mp_enter() instead. */
MP_INLINE bool
mp_enter_quickly(struct mp_thread *self, const void *frame)
{
    if (MP_UNLIKELY(self->busy != 0) ||
        MP_UNLIKELY(!mp_is_equal(&mp_gate->generation, self->generation)))
        return false;
    *(volatile uintptr_t *)&self->busy = (uintptr_t)frame;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return true;
}

MP_INLINE void
mp_leave_quickly(struct mp_thread *self)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    *(volatile uintptr_t *)&self->busy = 0;
}

/*
 * Enters the monitor from the hook with frame address FRAME. Returns the recorder to use, or NULL if nothing is to
 * be recorded.
 *
 * `busy` distinguishes an activation that a signal handler interrupted from one that a longjmp left for good; see
 * nested.h.
 */
MP_INLINE struct mp_recorder *
mp_enter(struct mp_thread *self, const void *frame)
{
    return MP_LIKELY(mp_enter_quickly(self, frame)) ? self->recorder
                                                    : mp_activation_enter(self, (uintptr_t)frame);
}

MP_INLINE void
mp_leave(struct mp_thread *self, struct mp_recorder *recorder)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (MP_UNLIKELY(mp_recorder_pending_work(recorder)))
        mp_activation_leave(self, recorder);
    else
        mp_leave_quickly(self);
}

/* Begins the session if it has not begun, as the first allocation would do, but records nothing. FRAME is the frame
 * address of the caller. */
void mp_activation_begin(const void *frame);

/* Does the pending work of RECORDER that is due after an allocation in CONTEXT. */
void mp_activation_after_alloc(struct mp_recorder *recorder, uint32_t context, const void *hook_frame);

/* mp_activation_dropped() counts an allocation as lost, and mp_activation_free_dropped() the free of a recorded
 * block, if the monitor should have recorded it. Called if SELF could not enter the monitor from the hook with
 * frame FRAME. */
void mp_activation_dropped(const struct mp_thread *self, const void *frame);
void mp_activation_free_dropped(const struct mp_thread *self, const void *frame);

/* Returns the calling thread's recorder in the present session, or NULL if the thread has no recorder yet. */
struct mp_recorder *mp_activation_recorder(void);

/* Makes the monitor notice from now on when threads end. Called by a constructor, because it calls libc. */
void mp_activation_open(void);

#endif
