/*
 * activation.h -- how a thread gets in and out of the monitor.
 *
 * An activation is one hook at work, from mp_enter() to mp_leave().  The first one of the process
 * begins the session.
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

/* Into the monitor and out of it where nothing else is to be done: from the hook with frame address FRAME,
 * and with self->recorder; false: mp_enter() is to be called. */
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
 * Into the monitor, from the hook with frame address FRAME.  NULL: nothing is to be recorded.
 *
 * `busy` tells an interrupted activation (a signal handler allocates while its thread is in here)
 * from one that a longjmp left for good; see nested.h.
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

/* What a recorder that has pending work has to do after an allocation in CONTEXT. */
void mp_activation_after_alloc(struct mp_recorder *recorder, uint32_t context, const void *hook_frame);

/* SELF was not let in to record an allocation, or the free of a recorded block, by the hook with frame
 * FRAME: counted if it is lost by that. */
void mp_activation_dropped(const struct mp_thread *self, const void *frame);
void mp_activation_free_dropped(const struct mp_thread *self, const void *frame);

/* The calling thread's recorder in the present session; NULL: it has none yet. */
struct mp_recorder *mp_activation_recorder(void);

/* From a constructor: the ends of threads are noticed from now on.  Calls libc. */
void mp_activation_open(void);

#endif
