/* SPDX-License-Identifier: MIT */
/*
 * nested.c -- decides whether a hook interrupted another one, and lends recorders to hooks within hooks.
 *
 * If a signal handler allocates while its thread is in the monitor, its hook is lent a recorder until the hook leaves.
 * A hook is also lent a recorder if it is called after the thread's destructors, when the thread's own recorder has
 * been given back. The loans of a thread form a stack, as its handlers do. A handler may jump away and leave hooks for
 * good. The next hook of the thread notices the jump and gives back the recorders that were lent to those hooks.
 *
 * It would be simpler to count calls in such handlers as missing. But ECL executes the request of mp:interrupt-process,
 * which may be any amount of Lisp, in a signal handler. A signal that arrives while the monitor blocks signals is
 * delivered in the monitor, when mp_gate_unlock() unblocks them. If 1000 interrupts allocate in a thread that makes
 * strings, more than a third of the interrupts' allocations are made in hooks within hooks (tests/e2e/ecl_threads.sh).
 */
#include "nested.h"

#include "runtime/record/counter.h"
#include "runtime/store/store.h"
#include "runtime/system/gate.h"
#include "runtime/system/options.h"
#include "runtime/system/sandbox.h"
#include "runtime/system/sys.h"
#include "runtime/system/thread.h"
#include "runtime/unwind/code.h"
#include "runtime/unwind/module.h"
#ifdef MP_HAVE_RULES
#include "runtime/unwind/rule_step.h"
#endif
#include "session_state.h"

/* ------------------------------------------------------------------ interrupted or left */

bool
mp_nested_was_left(uintptr_t older, uintptr_t newer)
{
    uintptr_t low, high;
    int on_alternate = mp_sys_on_alternate_stack(&low, &high);
    bool older_on_alternate = older >= low && older < high;

    if (on_alternate < 0)
        return mp_nested_is_alone_at(newer);
    if (on_alternate != older_on_alternate)
        return older_on_alternate;
    return newer >= older;
}

static bool
is_ours(uint64_t ip)
{
    return mp_module_same(ip - 1, (uintptr_t)&is_ours);
}

bool
mp_nested_is_alone_at(uintptr_t frame)
{
#ifdef MP_HAVE_RULES
    struct mp_registers at = mp_machine_caller((const void *)frame);
    struct mp_cfi_walk cfi;
    struct mp_rule_walk walk;
    struct mp_stack_read read = { 0, 0 };

    mp_rule_begin(&walk, at.sp, &read, &cfi);
    do {
        at.key = mp_code_address(at.key);
        if (mp_code_is_signal_return(at.key) || is_ours(at.key))
            return false;
    } while (mp_rule_step_from(&at, &walk));
    return walk.mark == 0;
#else
    (void)frame;
    return false;
#endif
}

/* ------------------------------------------------------------------ recorders that are lent */

struct mp_recorder *
mp_session_lend(struct mp_thread *self, uintptr_t frame)
{
    struct mp_recorder *recorder;
    struct mp_gate_hold hold;

    recorder = mp_gate_lock(&hold) && mp_session_goes_on() ? mp_session_take_recorder() : NULL;
    if (recorder) {
        recorder->lent = true;
        recorder->lent_context = 0;
        recorder->lent_frame = frame;
        recorder->outer = self->busy;
        recorder->below = self->lent;
        mp_counter_set_sole(recorder, false);
        recorder->live->threads--;
        __atomic_or_fetch(&recorder->live->pending_work, MP_PENDING_OWN, __ATOMIC_RELAXED);
        if (self->busy)
            mp_store.header->nested++;
        self->lent = recorder;
        self->loans++;
        self->busy = frame;
    }
    mp_gate_unlock(&hold);
    return recorder;
}

/* Notes that a hook of SELF was left before its end. */
static void
note_left(struct mp_thread *self)
{
    self->unwinding = 0;
    self->left = true;
    self->generation = UINT32_MAX;      /* so that the thread forgets its chains */
}

/* Takes the topmost loan back and returns SELF to the state before it. */
static void
take_back(struct mp_thread *self)
{
    MP_LOCK_HELD();
    struct mp_recorder *recorder = self->lent;

    self->lent = recorder->below;
    self->busy = recorder->outer;
    mp_session_give_recorder(recorder);
}

/* Takes all loans back. */
static void
take_all_back(struct mp_thread *self)
{
    MP_LOCK_HELD();
    while (self->lent)
        take_back(self);
    self->busy = 0;
    note_left(self);
}

/* Drops all loans of SELF without giving the recorders back, because the lock is unavailable behind a seccomp filter.
 * The recording has ended then, so the recorders are not needed. */
static void
lose_all(struct mp_thread *self)
{
    self->lent = NULL;
    self->busy = 0;
}

void
mp_session_all_left(struct mp_thread *self)
{
    struct mp_gate_hold hold;

    mp_sandbox_all_left();
    if (mp_gate_lock(&hold))
        take_all_back(self);
    else
        lose_all(self);
    mp_gate_unlock(&hold);
}

/* Takes back RECORDER, whose hook leaves, and all recorders that were lent after it to hooks that were left for
 * good. */
static void
take_back_until(struct mp_thread *self, const struct mp_recorder *recorder)
{
    uintptr_t outer = recorder->outer;
    bool found = false;

    while (self->lent && !found) {
        found = self->lent == recorder;
        take_back(self);
    }
    self->busy = outer;
}

/* Returns whether the hook to which RECORDER was lent interrupted no other hook. The stack is walked to find that out,
 * because recorded chains do not contain the frames of interrupted hooks. */
static bool
is_alone(const struct mp_recorder *recorder)
{
    return recorder->outer != 0 && recorder->lent_context != 0 && mp_nested_is_alone_at(recorder->lent_frame);
}

void
mp_session_lent_back(struct mp_thread *self, struct mp_recorder *recorder)
{
    bool alone = is_alone(recorder);
    struct mp_gate_hold hold;
    bool taken = mp_gate_lock(&hold);

    if (taken && alone && recorder->header == mp_store.header)
        recorder->header->nested--;
    if (!taken)
        lose_all(self);
    else if (alone)
        take_all_back(self);
    else
        take_back_until(self, recorder);
    mp_gate_unlock(&hold);
}

bool
mp_session_interrupted(struct mp_thread *self, uintptr_t frame)
{
    struct mp_gate_hold hold;

    while (self->busy) {
        if (!mp_nested_was_left(self->busy, frame))
            return true;
        mp_sandbox_all_left();
        if (!mp_gate_lock(&hold))
            lose_all(self);
        else if (self->lent && self->lent->lent_frame == self->busy)
            take_back(self);
        else
            self->busy = 0;
        note_left(self);
        mp_gate_unlock(&hold);
    }
    return false;
}
