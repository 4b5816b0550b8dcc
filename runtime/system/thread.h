/*
 * thread.h -- what the monitor keeps for each thread.
 *
 * Only the thread itself reads and writes it, and its signal handlers.
 */
#ifndef MP_THREAD_H
#define MP_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/compiler.h"

struct mp_recorder;

struct mp_thread {
    uintptr_t busy;             /* frame address of the hook that is at work, 0: none */
    uint32_t generation;        /* the gate's, when the thread last looked; UINT32_MAX: it never did;
                                   with MP_GATE_HELD while the thread holds the gate's lock */
    uint32_t internal;          /* > 0: the monitor itself uses libc; nothing is recorded */
    uint32_t unwinding;         /* > 0: libunwind is at work for the activation that is busy */
    struct mp_recorder *recorder;
    struct mp_recorder *lent;   /* the last one that it was lent, for a hook within a hook */
    uint32_t loans;             /* how often it was lent one */
    uint32_t held;              /* > 0: the thread holds the gate's lock */
    uint32_t exit_round;        /* of the thread's destructors; UINT32_MAX: they are over */
    bool watched;               /* its end will be noticed */
    bool left;                  /* a hook was left half way, since the thread last looked */
    struct {
        const void *block;      /* what realloc is making another block of: nobody has it; NULL: nothing */
        uint64_t birth;         /* of it, where lifetimes are noted */
        uint32_t bad;           /* enum mp_bad_free_kind of it, if it has no record */
    } resizing;
};

extern MP_HIDDEN MP_TLS struct mp_thread mp_thread;

/* Between these two, what the thread does is the monitor's own: nothing is recorded.  SAVED is for
 * mp_resume().  (Inside of the monitor, where busy is set, raising `internal` is enough.) */
MP_INLINE uint32_t
mp_pause(struct mp_thread *self)
{
    uint32_t saved = self->generation;

    self->internal++;
    self->generation = UINT32_MAX;      /* the short way in is closed */
    return saved;
}

MP_INLINE void
mp_resume(struct mp_thread *self, uint32_t saved)
{
    self->generation = saved;
    self->internal--;
}

#endif
