/*
 * thread.h -- the monitor's data of each thread.
 *
 * Only the thread itself and its signal handlers access it.
 */
#ifndef MP_THREAD_H
#define MP_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/compiler.h"

struct mp_recorder;

struct mp_thread {
    uintptr_t busy;             /* frame address of the hook that the thread is in; 0 if none */
    uint32_t generation;        /* the gate's generation when the thread last read it; UINT32_MAX before; with
                                   MP_GATE_HELD while the thread holds the gate's lock */
    uint32_t internal;          /* > 0 while the monitor itself uses libc and nothing is recorded */
    uint32_t unwinding;         /* > 0 while libunwind is running for the hook in `busy` */
    struct mp_recorder *recorder;
    struct mp_recorder *lent;   /* last recorder lent to the thread for a hook within a hook */
    uint32_t loans;             /* number of times a recorder was lent to it */
    uint32_t held;              /* > 0: the thread holds the gate's lock */
    uint32_t exit_round;        /* round of the thread's destructors; UINT32_MAX when they are over */
    bool watched;               /* the monitor will notice the thread's end */
    bool left;                  /* a jump has left a hook since the thread last checked */
    struct {
        const void *block;      /* block that realloc is replacing, which nobody owns; NULL if none */
        uint64_t birth;         /* its time of birth, if lifetimes are recorded */
        uint32_t bad;           /* its enum mp_bad_free_kind, if it has no record */
        bool overrun;           /* it was written beyond its end, see sentinel.h */
    } resizing;
};

extern MP_HIDDEN MP_TLS struct mp_thread mp_thread;

/* What the thread allocates between mp_pause() and mp_resume() is the monitor's and is not recorded. SAVED is the value
 * that mp_pause() returned. Inside the monitor, where `busy` is set, incrementing `internal` is enough. */
MP_INLINE uint32_t
mp_pause(struct mp_thread *self)
{
    uint32_t saved = self->generation;

    self->internal++;
    self->generation = UINT32_MAX;      /* closes the fast path into the monitor */
    return saved;
}

MP_INLINE void
mp_resume(struct mp_thread *self, uint32_t saved)
{
    self->generation = saved;
    self->internal--;
}

#endif
