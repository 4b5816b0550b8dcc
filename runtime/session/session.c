#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>

#include "config.h"
#include "control.h"
#include "nested.h"
#include "runtime/heap/heap.h"
#include "runtime/language/name.h"
#include "runtime/monitor.h"
#include "runtime/record/block_table.h"
#include "runtime/record/counter.h"
#include "runtime/store/store.h"
#include "runtime/system/diag.h"
#include "runtime/system/options.h"
#include "runtime/system/sandbox.h"
#include "runtime/system/sandbox_shut.h"
#include "runtime/system/sys.h"
#include "runtime/unwind/chain.h"
#include "runtime/unwind/check.h"
#include "runtime/unwind/code.h"
#include "runtime/unwind/module.h"
#include "runtime/unwind/unwind.h"
#include "session_file.h"
#include "snapshot.h"

#define LAST_ROUND 4u           /* PTHREAD_DESTRUCTOR_ITERATIONS in glibc */
#define EXITED     UINT32_MAX

static struct {
    bool opened;                /* one-time set-up is done */
    bool off;                   /* stopped, or impossible */
    bool late;                  /* loaded into a program that was running */
    bool child;                 /* by fork, of a process that had a session */
    bool orphan;                /* such a child can have no file: its family counts what it drops */
    bool alone;                 /* one recorder only: the peak is exact */
    bool have_key;
    pthread_key_t key;          /* its destructor gives the recorder back */
    uint32_t number;            /* of the session, 0: none yet */
    uint64_t autosave;          /* allocations of a thread between two pushes to the disk */
} session;

/* ------------------------------------------------------------------ begin and end */

/* This process has not begun a session: it lets go of its parent's, if it is the child of a fork and
 * has one in its memory.  Called by who takes the gate's lock first; it is held. */
static void
let_go_of_parent(void)
{
    if (session.number == 0)
        return;
    session.child = true;
    session.orphan |= mp_store.header && mp_store.header->state == MP_STATE_FULL;
    session.off |= session.late;        /* whoever was asked to record was the parent */
    if (mp_store.header)
        mp_store_close();
}

static int
open_once(void)
{
    int result;

    mp_options_read();
    if (mp_sandbox_inherited(mp_options.filters))
        return -EPERM;
    mp_options_directory();
    mp_diag_open();
    result = mp_gate_open(let_go_of_parent);
    if (result == 0)
        result = mp_block_open(mp_monitor_block_distance);
    if (result == 0)
        session.opened = true;
    return result;
}

static void
note_language(void)
{
    struct mp_live_header *header = mp_store.header;

    header->language = mp_store_string(mp_language->name, strlen(mp_language->name));
    header->heap_before = header->heap_now = mp_language->allocated();
}

/* On failure (-errno) recording is off, and that has been said.  Lock held. */
static int
begin(const char *file, enum mp_file_name name, uint32_t depth, bool fold)
{
    int result;
    bool made;

    mp_options.depth = depth;
    mp_options.fold = fold;
    mp_chain_select();
    mp_session_leave_ancestors();
    mp_module_reset();
    mp_recorder_reset();
    result = mp_session_make_file(file, name);
    made = result == 0;
    if (made)
        result = mp_code_reset();
    mp_heap_reset();
    if (result == 0 && mp_language)
        note_language();
    session.off = result != 0;
    session.orphan = false;
    session.alone = true;
    session.number++;
    mp_counter_reset();
    mp_gate_raise();
    /* Last: as long as others see the request in the file before, they wait for the lock, and are
     * recorded in this one. */
    if (made)
        mp_control_listen(mp_store.header);
    return result;
}

int
mp_session_begin_held(const char *file, enum mp_file_name name)
{
    return begin(file, name, mp_options.asked_depth, mp_options.asked_fold);
}

/* The first allocation of this process.  The lock is held. */
static void
begin_process(void)
{
    bool beside = session.child || mp_options.started;

    if (session.off)
        return;
    if (session.child && mp_sandbox_is_shut())
        mp_session_shut_child();
    mp_diag_quiet += session.child;     /* it is said of the family, at the end */
    if (mp_session_begin_held(mp_options.file, beside ? MP_FILE_OF_CHILD : MP_FILE_AS_SAID) < 0)
        session.orphan = session.child && !mp_sandbox_is_shut();
    mp_diag_quiet -= session.child;
    if (mp_options.stopped && !session.child)
        mp_session_end_held();
}

/* ------------------------------------------------------------------ threads */

/* Have thread_ends() called (again) when the thread's destructors run.  Signals wait: what a handler
 * allocates would count as libc's for us, and one that jumps away would leave the thread paused. */
static void
come_back(struct mp_thread *self)
{
    uint64_t mask;
    uint32_t saved;

    mp_sys_block_signals(&mask);
    saved = mp_pause(self);
    pthread_setspecific(session.key, self);
    self->watched = true;
    mp_resume(self, saved);
    mp_sys_unblock_signals(&mask);
}

void
mp_session_give_recorder(struct mp_recorder *recorder)
{
    if (recorder->header != mp_store.header) {
        mp_recorder_recycle(recorder);
        return;
    }
    mp_counter_commit(recorder);
    mp_recorder_give(recorder);
    if (mp_recorder_active() <= 1) {
        session.alone = true;
        mp_gate_raise();                /* what it has pending is collected */
    }
}

/* The thread ends.  Come back until the last round: other destructors still allocate. */
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
    if (session.have_key && !self->watched && !self->exit_round)
        come_back(self);
}

/* A request that comes between the two is found in the header. */
static void
set_pending_work(struct mp_recorder *recorder)
{
    uint32_t own = recorder->check || recorder->autosave_left ? MP_PENDING_OWN : 0;

    __atomic_store_n(&recorder->live->pending_work, own, __ATOMIC_SEQ_CST);
    if (mp_control_wanted())
        __atomic_or_fetch(&recorder->live->pending_work, MP_PENDING_REQUEST, __ATOMIC_RELAXED);
}

/* A recorder for the thread; the lock is held. */
static struct mp_recorder *
take_recorder(void)
{
    struct mp_recorder *recorder = mp_recorder_take((uint32_t)mp_sys_gettid());

    if (!recorder)
        return NULL;
    recorder->autosave_left = session.autosave;
    recorder->check = mp_options.check == 1 && !mp_options.fold;
    recorder->lent = false;
    set_pending_work(recorder);
    if (mp_recorder_active() == 2) {
        session.alone = false;
        mp_counter_end_sole();
        mp_gate_raise();
    }
    return recorder;
}

struct mp_recorder *
mp_session_take_recorder(void)
{
    if (mp_gate->generation == 0)
        begin_process();
    if (session.off || !mp_store.header || mp_store.header->state == MP_STATE_FULL)
        return NULL;
    return take_recorder();
}

/* Look up from the thread's private state: new session, new mode, code gone.  Lock held. */
static bool
synchronise(struct mp_thread *self)
{
    if (mp_gate->generation == 0)
        begin_process();
    if (mp_store.header && mp_store.header->state == MP_STATE_FULL)
        session.off = true;             /* until mprof_restart(); nobody comes this way again */
    if (session.off || !mp_store.header)
        return false;
    if (self->session != session.number) {
        mp_recorder_recycle(self->recorder);    /* only its own thread knows that it is not used */
        self->recorder = NULL;
        self->session = session.number;
    }
    if (!self->recorder)
        self->recorder = take_recorder();
    if (!self->recorder)
        return false;
    if (session.alone) {
        mp_recorder_collect(mp_store.header);
        if (self->left)
            mp_counter_recount(self->recorder);
    }
    self->left = false;
    mp_counter_set_sole(self->recorder, session.alone);
    mp_recorder_forget_chains(self->recorder);
    self->generation = mp_gate->generation | MP_GATE_HELD;         /* the lock is held */
    return true;
}

/* ------------------------------------------------------------------ into the monitor */

MP_COLD void
mp_session_leave(struct mp_thread *self, struct mp_recorder *recorder)
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
            mp_control_serve();
    }
}

/* Is SELF where not even a handler's hook, with frame FRAME, can be recorded?  That is, under the lock
 * (a handler for SIGTRAP or SIGSYS), or while libunwind is at work. */
static bool
is_shut_out(const struct mp_thread *self, uintptr_t frame)
{
    return self->held || (self->unwinding && self->busy && !mp_nested_was_left(self->busy, frame));
}

/* The same, but for calls by libunwind, or by the loader for it: these are nobody's business. */
static bool
is_lost(const struct mp_thread *self, const void *frame)
{
    uintptr_t caller = ((const uintptr_t *)frame)[1];

    return is_shut_out(self, (uintptr_t)frame) && (self->held || !mp_unwind_calls(caller));
}

/* Also where recording has stopped for want of space: what would have been recorded is counted. */
MP_COLD void
mp_session_dropped(const struct mp_thread *self, const void *frame)
{
    struct mp_live_header *header = session.orphan ? mp_session_family()
                                    : mp_gate_is_ours() ? mp_store.header : NULL;
    bool none = header && (session.orphan || header->state == MP_STATE_FULL);

    if (header && (is_lost(self, frame) || (none && !self->internal && !self->unwinding)))
        __atomic_add_fetch(&header->missing[MP_MISS_DROPPED], 1, __ATOMIC_RELAXED);
}

MP_COLD void
mp_session_free_dropped(const struct mp_thread *self, const void *frame)
{
    struct mp_live_header *header = mp_store.header;

    if (header && mp_gate_is_ours() && is_lost(self, frame))
        __atomic_add_fetch(&header->missing[MP_MISS_UNSEEN_FREE], 1, __ATOMIC_RELAXED);
}

/* Did a signal handler of this thread jump out of what should go on with signals blocked, where they
 * could not be blocked?  Seen from a hook with frame FRAME; then it is forgotten. */
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
mp_session_enter(struct mp_thread *self, uintptr_t frame)
{
    struct mp_gate_hold hold;
    bool taken, on;

    if (MP_UNLIKELY(was_torn(frame)))
        mp_session_torn(self);
    if (is_shut_out(self, frame)) {
        if (self->held || !mp_nested_is_alone_at(frame))
            return NULL;
        mp_session_all_left(self);
    }
    if (self->internal)
        return NULL;
    if (session.off && mp_control_wanted())
        mp_control_serve();
    if (session.off)
        return NULL;
    if (!session.opened && open_once() != 0) {
        session.off = true;
        return NULL;
    }
    if (mp_session_interrupted(self, frame) || self->exit_round == EXITED)
        return mp_session_lend(self, frame);
    taken = mp_gate_lock(&hold);
    on = taken && synchronise(self);
    mp_gate_unlock(&hold);
    if (!taken)
        mp_session_torn(self);
    if (!on)
        return NULL;
    watch_end(self);
    self->busy = frame;
    return self->recorder;
}

/* ------------------------------------------------------------------ the process */

static void
open_library(struct mp_thread *self)
{
    uint32_t saved = mp_pause(self);

    mp_sandbox_find_clock();
    session.have_key = pthread_key_create(&session.key, thread_ends) == 0;
    if ((mp_options.check == 1 || mp_options.unwinder == MP_UNWIND_LIBUNWIND) &&
        !mp_sandbox_is_shut() && !mp_unwind_open())
        mp_diag(MP_UNWIND_SONAME, 0, mp_options.check == 1 ? "cannot be loaded: nothing is checked"
                                                      : "cannot be loaded: chains are cut to one frame");
    mp_resume(self, saved);
}

void
mp_session_open(void)
{
    struct mp_thread *self = &mp_thread;
    const char here = 0;
    struct mp_recorder *recorder;

    /* A program that allocates nothing has a data file, too. */
    recorder = mp_enter(self, &here);
    if (recorder)
        mp_leave(self, recorder);
    open_library(self);
    mp_snapshot_open();
}

void
mp_session_open_late(void)
{
    session.off = session.late = true;
    if (!session.opened && open_once() != 0)
        return;
    open_library(&mp_thread);
}

int
mp_session_language(const struct mp_language *language)
{
    struct mp_gate_hold hold;
    int result;

    mp_gate_lock(&hold);
    result = mp_language ? 0 : mp_heap_open();
    if (result == 0) {
        mp_language = language;
        if (mp_store.header)
            note_language();
    }
    mp_gate_unlock(&hold);
    return result;
}

struct mp_recorder *
mp_session_recorder(void)
{
    return mp_gate_is_ours() && mp_thread.session == session.number ? mp_thread.recorder : NULL;
}

struct mp_recorder *
mp_session_collector(void)
{
    struct mp_recorder *recorder = take_recorder();

    if (recorder) {
        recorder->live->tid = 0;
        recorder->live->threads--;
    }
    return recorder;
}

bool
mp_session_is_off(void)
{
    return session.off;
}

bool
mp_session_records(void)
{
    bool will_begin = !mp_gate_is_ours() && session.number != 0 && !session.late;

    return mp_session_active() || (will_begin && !session.off);
}

/* ------------------------------------------------------------------ the program's wishes */

/* The file is left to the caller.  Lock held. */
static void
finish(void)
{
    const struct mp_live_header *header = mp_store.header;

    if (header && !session.off && header->state == MP_STATE_RUNNING) {
        mp_store_finish(MP_STATE_STOPPED, -1, 0);
        if (session.late)
            mp_check_report();
    }
    session.off = true;
    session.orphan = false;
    mp_gate_raise();
}

void
mp_session_end_held(void)
{
    finish();
    mp_store_close();
}

void
mp_session_end(void)
{
    struct mp_gate_hold hold;

    if (mp_gate_lock(&hold))
        mp_session_end_held();
    mp_gate_unlock(&hold);
}

void
mp_session_stop(void)
{
    struct mp_store_file file;
    struct mp_gate_hold hold;
    bool taken = mp_gate_lock(&hold);

    if (taken) {
        finish();
        file = mp_store_give_up();
    }
    mp_gate_unlock(&hold);
    if (taken)
        mp_store_push(&file);           /* that takes long: other threads must not wait */
}

int
mp_session_restart(const char *file)
{
    if (file && strlen(file) >= MP_PATH_SIZE)
        return -ENAMETOOLONG;
    if (mp_sandbox_is_shut())
        return -EPERM;                  /* and what is being recorded goes on */
    mp_session_stop();
    return mp_session_begin(file, mp_options.asked_depth, mp_options.asked_fold);
}

int
mp_session_begin(const char *file, uint32_t depth, bool fold)
{
    struct mp_gate_hold hold;
    int result;

    if (file && strlen(file) >= MP_PATH_SIZE)
        return -ENAMETOOLONG;
    if (mp_sandbox_is_shut())
        return -EPERM;                  /* and what is being recorded goes on */
    mp_session_end();
    if (!session.opened && (result = open_once()) != 0)
        return result;
    mp_gate_lock(&hold);
    if (!file && (session.child || mp_options.started))
        result = begin(mp_options.file, MP_FILE_BESIDE, depth, fold);
    else
        result = begin(file ? file : mp_options.file, MP_FILE_AS_SAID, depth, fold);
    mp_gate_unlock(&hold);
    return result;
}

void
mp_session_autosave(uint64_t count)
{
    struct mp_gate_hold hold;

    mp_gate_lock(&hold);
    session.autosave = count;
    if (mp_gate_is_ours())
        mp_recorder_autosave(count);
    mp_gate_unlock(&hold);
}

/* The recorder has counted as many allocations as were asked for: push the file, start again. */
static void
autosave_due(struct mp_recorder *recorder)
{
    struct mp_gate_hold hold;
    int fd;

    mp_gate_lock(&hold);
    recorder->autosave_left = session.autosave;
    fd = mp_session_active() ? mp_store_descriptor() : -1;
    mp_gate_unlock(&hold);
    if (fd >= 0)                        /* whatever file it may be by now */
        mp_sys_fdatasync(fd);
}

MP_COLD void
mp_session_after_alloc(struct mp_recorder *recorder, uint32_t context, const void *hook_frame)
{
    recorder->lent_context = context;
    if (recorder->check) {
        mp_check_chain(context, hook_frame);
        mp_chain_note(recorder);
    }
    if (recorder->autosave_left && --recorder->autosave_left == 0)
        autosave_due(recorder);
}
