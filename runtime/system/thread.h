/* SPDX-License-Identifier: MIT */
/*
 * thread.h -- the monitor's data of each thread.
 *
 * Only the thread itself and its signal handlers access these data.
 */
#ifndef MP_THREAD_H
#define MP_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/compiler.h"

struct mp_recorder;

struct mp_thread {
    uintptr_t busy;             /* frame address of the hook that the thread is in; 0 if none */
    uint32_t generation;        /* the gate's generation when the thread last read it; UINT32_MAX before;
                                   MP_GATE_HELD is added while the thread holds the gate's lock */
    uint32_t internal;          /* nonzero while the monitor itself uses libc, so that nothing is recorded */
    uint32_t unwinding;         /* nonzero while libunwind is running for the hook in `busy` */
    struct mp_recorder *recorder;
    struct mp_recorder *lent;   /* last recorder lent to the thread for a hook within a hook */
    uint32_t loans;             /* number of times that a recorder was lent to the thread */
    uint32_t held;              /* number of nested calls of mp_gate_lock(); nonzero while the thread holds the
                                   gate's lock or waits for it */
    uint32_t exit_round;        /* number of rounds of the thread's destructors that have begun; UINT32_MAX when
                                   they are over */
    bool watched;               /* the monitor will notice the thread's end */
    bool left;                  /* a jump has left a hook since the thread last synchronised (session/activation.c) */
    bool poor;                  /* there was no memory for a recorder when the thread last tried to enter the monitor */
    struct {
        const void *block;      /* block that realloc is replacing, which nobody owns; NULL if none */
        uint64_t birth;         /* time of birth of the block, if lifetimes are recorded */
        uint32_t bad;           /* enum mp_bad_free_kind of the block, if it has no record */
        bool overrun;           /* the block was written beyond its end (sentinel.h) */
        uint8_t made;           /* enum mp_made of the block (operators.h) */
    } resizing;
    struct {
        const uintptr_t *place; /* place of the operator's return address */
        uintptr_t address;      /* value of that return address */
        uint8_t of;             /* the operator, enum mp_made; MP_MADE_UNKNOWN if none was called */
        bool is_delete;
    } operator;                 /* operator new or delete that was called last (operators.h) */
};

extern MP_HIDDEN MP_TLS struct mp_thread mp_thread;

/* mp_pause() and mp_resume() enclose work of the monitor whose allocations are not recorded. mp_pause() returns
 * the value to pass as SAVED. Code that runs in a hook, where `busy` is set, may increment `internal` instead. */
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
