/* SPDX-License-Identifier: MIT */
#include "activation.h"

#include <errno.h>
#include <pthread.h>

#include "callback.h"
#include "control.h"
#include "nested.h"
#include "runtime/record/sample.h"
#include "runtime/store/store.h"
#include "runtime/system/gate.h"
#include "runtime/system/sandbox.h"
#include "runtime/system/sys.h"
#include "runtime/unwind/chain.h"
#include "runtime/unwind/chain_check.h"
#include "runtime/unwind/unwind.h"
#include "session.h"
#include "session_control.h"
#include "session_state.h"

#define LAST_ROUND 4u           /* PTHREAD_DESTRUCTOR_ITERATIONS in glibc */
#define EXITED     UINT32_MAX

static struct {
    bool made;
    pthread_key_t key;          /* key whose destructor is thread_ends() */
} at_end;

/* ------------------------------------------------------------------ a thread's end */

/* Arranges that thread_ends() is called when the thread's destructors run. The thread is paused meanwhile, so that
 * libc's own allocations are not recorded. Signals are blocked meanwhile, because a handler's allocation would not be
 * recorded either, and a handler that jumps away would leave the thread paused. */
static void
come_back(struct mp_thread *self)
{
    uint64_t mask;
    uint32_t saved;

    mp_sys_block_signals(&mask);
    saved = mp_pause(self);
    pthread_setspecific(at_end.key, self);
    self->watched = true;
    mp_resume(self, saved);
    mp_sys_unblock_signals(&mask);
}

/* Ends the thread's recording. Postpones this to the last round of destructors, because other destructors still
 * allocate. */
static void
thread_ends(void *pointer)
{
    struct mp_thread *self = pointer;
    struct mp_gate_hold hold;

    if (++self->exit_round < LAST_ROUND) {
        come_back(self);
        return;
    }
    if (mp_gate_lock(&hold) && self->recorder)
        mp_session_give_recorder(self->recorder);
    self->recorder = NULL;
    self->generation = UINT32_MAX;
    self->exit_round = EXITED;
    mp_gate_unlock(&hold);
}

static void
watch_end(struct mp_thread *self)
{
    if (at_end.made && !self->watched && !self->exit_round)
        come_back(self);
}

void
mp_activation_open(void)
{
    at_end.made = pthread_key_create(&at_end.key, thread_ends) == 0;
}

/* ------------------------------------------------------------------ in */

/* Adapts SELF to a new session, a new mode or unloaded code. Returns false if nothing is to be recorded. */
static bool
synchronise(struct mp_thread *self)
{
    MP_LOCK_HELD();
    if (!mp_session_goes_on())
        return false;
    if (self->recorder && self->recorder->session != mp_session.number) {
        mp_recorder_recycle(self->recorder);    /* the recorder is of an earlier session, and only its own thread
                                                   knows that it is unused */
        self->recorder = NULL;
    }
    if (self->recorder)
        mp_recorder_forget_chains(self->recorder);
    else if (!(self->recorder = mp_session_take_recorder()))
        return false;
    if (mp_session.alone) {
        mp_recorder_collect(mp_store.header);
        if (self->left && mp_sample_period > 0)
            mp_sample_recount(self->recorder);
        else if (self->left)
            mp_counter_recount(self->recorder);
    }
    self->left = false;
    mp_counter_set_sole(self->recorder, mp_session.alone);
    self->generation = mp_gate->generation | MP_GATE_HELD;         /* keeps the flag, because the lock is held */
    return true;
}

MP_COLD void
mp_activation_leave(struct mp_thread *self, struct mp_recorder *recorder)
{
    uint32_t *pending_work = &recorder->live->pending_work;

    if (recorder->lent) {
        mp_session_lent_back(self, recorder);
        return;
    }
    *(volatile uintptr_t *)&self->busy = 0;
    if (__atomic_load_n(pending_work, __ATOMIC_RELAXED) & MP_PENDING_REQUEST) {
        __atomic_and_fetch(pending_work, ~(uint32_t)MP_PENDING_REQUEST, __ATOMIC_RELAXED);
        if (mp_control_wanted())
            mp_session_serve();
    }
    if (__atomic_load_n(pending_work, __ATOMIC_RELAXED) & MP_PENDING_CALL) {
        __atomic_and_fetch(pending_work, ~(uint32_t)MP_PENDING_CALL, __ATOMIC_RELAXED);
        mp_callback_due();
    }
}

/* Returns whether the hook with frame FRAME cannot be recorded even if a signal handler called it. No hook can be
 * recorded while its thread holds the lock, which a handler of SIGTRAP or SIGSYS may interrupt, or runs libunwind. */
static bool
is_shut_out(const struct mp_thread *self, uintptr_t frame)
{
    return self->held || (self->unwinding && self->busy && !mp_nested_was_left(self->busy, frame));
}

/* Returns whether the call of the hook with frame FRAME is lost because SELF is shut out. Calls by libunwind, or by
 * the loader on its behalf, are the monitor's own and not lost. */
static bool
is_lost(const struct mp_thread *self, const void *frame)
{
    uintptr_t caller = ((const uintptr_t *)frame)[1];

    return is_shut_out(self, (uintptr_t)frame) && (self->held || !mp_unwind_calls(caller));
}

/* Counts an allocation as missing if its thread could not enter the monitor, and also if recording has stopped for
 * lack of space or there is no memory for the thread's recorder. */
MP_COLD void
mp_activation_dropped(const struct mp_thread *self, const void *frame)
{
    struct mp_live_header *header = mp_session.orphan ? mp_session_family()
                                    : mp_gate_is_ours() ? mp_store.header : NULL;
    bool none = header && (mp_session.orphan || header->state == MP_STATE_FULL || self->poor);

    if (header && (is_lost(self, frame) || (none && !self->internal && !self->unwinding)))
        __atomic_add_fetch(&header->missing[MP_MISS_DROPPED], 1, __ATOMIC_RELAXED);
}

MP_COLD void
mp_activation_free_dropped(const struct mp_thread *self, const void *frame)
{
    struct mp_live_header *header = mp_store.header;

    if (header && mp_gate_is_ours() && (is_lost(self, frame) || self->poor))
        __atomic_add_fetch(&header->missing[MP_MISS_UNSEEN_FREE], 1, __ATOMIC_RELAXED);
}

/* Ends the recording, because a handler jumped out of code that must not be interrupted. That code may have left
 * data half changed, so nothing is done with the data. Later events are counted as missing. */
static MP_COLD void
torn(struct mp_thread *self)
{
    if (mp_gate_is_ours())
        mp_store_finish(MP_STATE_FULL, -1, EINTR);
    if (self->held > 0) {
        self->held = 0;
        __atomic_store_n(&mp_gate->lock, 0, __ATOMIC_RELEASE);
    }
    self->generation = UINT32_MAX;
    mp_gate_raise();
}

/* Returns whether a signal handler of this thread jumped out of code that should run with signals blocked, while
 * a filter made blocking them impossible. FRAME is the frame of the present hook. If the result is true, forgets that
 * this thread has entered such code. */
static bool
was_torn(uintptr_t frame)
{
    uintptr_t at = mp_sandbox_exposed_at();

    if (MP_LIKELY(at == 0) || !mp_nested_was_left(at, frame))
        return false;
    mp_sandbox_exposed_left();
    return true;
}

MP_NOINLINE struct mp_recorder *
mp_activation_enter(struct mp_thread *self, uintptr_t frame)
{
    struct mp_gate_hold hold;
    bool taken, on;

    self->poor = false;
    if (MP_UNLIKELY(was_torn(frame)))
        torn(self);
    if (is_shut_out(self, frame)) {
        if (self->held || !mp_nested_is_alone_at(frame))
            return NULL;
        mp_session_all_left(self);
    }
    if (self->internal)
        return NULL;
    if (mp_session.off && mp_control_wanted())
        mp_session_serve();
    if (mp_session.off)
        return NULL;
    if (!mp_session.opened && mp_session_prepare() != 0) {
        mp_session.off = true;
        return NULL;
    }
    if (mp_session_interrupted(self, frame) || self->exit_round == EXITED)
        return mp_session_lend(self, frame);
    taken = mp_gate_lock(&hold);
    on = taken && synchronise(self);
    mp_gate_unlock(&hold);
    if (!taken)
        torn(self);
    if (!on)
        return NULL;
    watch_end(self);
    self->busy = frame;
    return self->recorder;
}

MP_COLD void
mp_activation_begin(const void *frame)
{
    struct mp_recorder *recorder = mp_enter(&mp_thread, frame);

    if (recorder)
        mp_leave(&mp_thread, recorder);
}

/* ------------------------------------------------------------------ at work */

struct mp_recorder *
mp_activation_recorder(void)
{
    struct mp_recorder *recorder = mp_gate_is_ours() ? mp_thread.recorder : NULL;

    return recorder && recorder->session == mp_session.number ? recorder : NULL;
}

/* Writes the file to disk, because the requested number of allocations was made, and starts to count again. */
static void
autosave_due(struct mp_recorder *recorder)
{
    struct mp_gate_hold hold;
    int fd;

    recorder->autosave_left = mp_session.autosave;
    fd = mp_gate_lock(&hold) && mp_session_active() ? mp_store_descriptor() : -1;
    mp_gate_unlock(&hold);
    if (fd >= 0)                        /* the descriptor may refer to another file by now, which does no harm */
        mp_sys_fdatasync(fd);
}

MP_COLD void
mp_activation_after_alloc(struct mp_recorder *recorder, uint32_t context, const void *hook_frame)
{
    recorder->lent_context = context;
    if (recorder->check && context != 0)
        mp_check_chain(context, hook_frame);
    if (recorder->autosave_left && --recorder->autosave_left == 0)
        autosave_due(recorder);
}
