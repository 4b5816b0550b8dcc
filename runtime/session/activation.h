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

/*
 * Into the monitor, from the hook with frame address FRAME.  NULL: nothing is to be recorded.
 *
 * `busy` tells an interrupted activation (a signal handler allocates while its thread is in here)
 * from one that a longjmp left for good; see nested.h.
 */
MP_INLINE struct mp_recorder *
mp_enter(struct mp_thread *self, const void *frame)
{
    if (MP_UNLIKELY(self->busy != 0 ||
                    self->generation != __atomic_load_n(&mp_gate->generation, __ATOMIC_ACQUIRE)))
        return mp_activation_enter(self, (uintptr_t)frame);
    *(volatile uintptr_t *)&self->busy = (uintptr_t)frame;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return self->recorder;
}

MP_INLINE void
mp_leave(struct mp_thread *self, struct mp_recorder *recorder)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (MP_UNLIKELY(mp_recorder_pending_work(recorder)))
        mp_activation_leave(self, recorder);
    else
        *(volatile uintptr_t *)&self->busy = 0;
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
