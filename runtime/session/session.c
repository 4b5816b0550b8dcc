/* SPDX-License-Identifier: MIT */
#include "session.h"

#include <errno.h>
#include <string.h>

#include "control.h"
#include "hook_mode.h"
#include "runtime/language/language.h"
#include "runtime/record/block_table.h"
#include "runtime/record/lifetime.h"
#include "runtime/record/events.h"
#include "runtime/record/text_log.h"
#include "runtime/record/sample.h"
#include "runtime/record/sentinel.h"
#include "runtime/store/store.h"
#include "runtime/store/store_past.h"
#include "runtime/system/diag.h"
#include "runtime/system/gate.h"
#include "runtime/system/options.h"
#include "runtime/system/program.h"
#include "runtime/system/runner.h"
#include "runtime/system/sandbox.h"
#include "runtime/system/sandbox_shut.h"
#include "runtime/system/sys.h"
#include "runtime/system/thread.h"
#include "runtime/unwind/chain.h"
#include "runtime/unwind/chain_check.h"
#include "runtime/unwind/code.h"
#include "runtime/unwind/module.h"
#include "session_file.h"
#include "session_state.h"

struct mp_session mp_session;

uint32_t mp_hook_mode = MP_HOOKS_SAMPLE;

unsigned mp_session_block_distance = 8;

/* ------------------------------------------------------------------ begin and end */

/* Releases the parent's session if this process is the child of a fork and inherited one. Called by each thread
 * that takes the gate's lock while the process has begun no session of its own. */
static void
let_go_of_parent(void)
{
    MP_LOCK_HELD();
    if (mp_session.number == 0)
        return;
    mp_session.child = true;
    mp_session.orphan |= mp_store.header && mp_store.header->state == MP_STATE_FULL;
    mp_session.off |= mp_session.late;        /* the request to record concerned only the parent */
    if (mp_store.header)
        mp_store_close();
}

static int
prepare(void)
{
    int result;

    mp_options_read();
    if (mp_sandbox_inherited(mp_options.filters))
        return -EPERM;
    mp_options_directory();
    mp_runner_open();
    mp_diag_open();
    result = mp_gate_open(let_go_of_parent);
    if (result < 0)
        mp_runner_tell(MP_RUNNER_NONE, (uint32_t)-result, 0, mp_program_path(), -1);
    if (result == 0) {
        mp_block_open(mp_session_block_distance);
        if (mp_options.lifetimes)
            mp_lifetime_open(mp_session_block_distance);
        mp_session.opened = true;
    }
    return result;
}

int
mp_session_prepare(void)
{
    const uint32_t saved = mp_pause(&mp_thread);
    const int result = prepare();

    /* The thread's generation is 0 if an object's IFUNC resolver has called a hook before the loader has initialised
     * thread-local variables. It must not stay 0, because from now on the gate's generation may be 0, too. */
    mp_resume(&mp_thread, saved ? saved : UINT32_MAX);
    return result;
}

/* Releases the files and recorders of the ancestors, because the ancestors' threads do not exist in this process.
 * Called whenever a recording begins. Does nothing after the first call in a process. Releases nothing while a hook
 * that was running in the parent during fork() continues in this thread. */
static void
leave_ancestors(void)
{
    static uint32_t pid;                /* process in which this function was called last */
    uint32_t present = (uint32_t)mp_sys_getpid();

    if (pid == present)
        return;
    pid = present;
    mp_control_listen(NULL);
    if (mp_session.interrupted || mp_thread.busy)
        return;
    mp_thread.recorder = mp_thread.lent = NULL;
    mp_recorder_inherited();
    mp_past_inherited();
}

/* Begins a recording. On failure, returns -errno after a message and leaves recording off. */
static int
begin(const char *file, enum mp_file_name name, uint32_t depth, bool fold, uint32_t sample)
{
    MP_LOCK_HELD();
    int result;
    bool made;

    mp_options.depth = depth;
    mp_options.fold = fold;
    if (mp_options.record)              /* the log has every object */
        sample = 0;
    mp_options.sample = sample;
    if (mp_is_equal(&mp_hook_mode, MP_HOOKS_IDLE))
        mp_block_clear_all();
    mp_sample_begin(sample, mp_options.sample_seed);
    mp_chain_select();
    leave_ancestors();
    mp_module_reset();
    mp_recorder_reset();
    result = mp_session_make_file(file, name);
    made = result == 0;
    if (made)
        result = mp_code_reset();
    if (result == 0)
        mp_language_note(mp_store.header);
    mp_session.off = result != 0;
    mp_hooks_turn(mp_session.off ? MP_HOOKS_IDLE : sample > 0 ? MP_HOOKS_SAMPLE : MP_HOOKS_RECORD);
    mp_session.orphan = false;
    mp_session.alone = true;
    mp_session.number++;
    mp_counter_reset();
    mp_log_begin();
    mp_events_begin();
    mp_gate_raise();
    /* Done last, because it removes the request from the previous file. While other threads see the request there, they
     * wait for the lock, and are then recorded in the new file. */
    if (made)
        mp_control_listen(mp_store.header);
    return result;
}

int
mp_session_begin_held(const char *file, enum mp_file_name name, uint32_t sample)
{
    MP_LOCK_HELD();
    return begin(file, name, mp_options.asked_depth, mp_options.asked_fold,
                 sample == MP_SAMPLE_AS_SAID ? mp_options.asked_sample : sample);
}

/* Counts this process, which is the child of a fork and cannot begin a session of its own because of a filter. */
static void
count_shut_child(void)
{
    struct mp_live_header *family = mp_session_family();

    if (family)
        __atomic_add_fetch(&family->not_recorded, 1, __ATOMIC_RELAXED);
}

/* Returns whether the file that the environment names may belong to another process of the run. */
static bool
is_beside(void)
{
    return mp_session.child || (mp_options.started && mp_options.follow == MP_FOLLOW_ALL);
}

/* Begins the first session of this process, at the first allocation. */
static void
begin_process(void)
{
    MP_LOCK_HELD();
    bool beside = is_beside();

    if (!mp_options_want(mp_program_name())) {
        mp_runner_tell(MP_RUNNER_NONE, 0, 0, mp_program_path(), -1);
        mp_session.off = true;
        mp_gate_raise();
    }
    if (mp_session.off) {
        mp_hooks_turn(MP_HOOKS_IDLE);
        return;
    }
    if (mp_session.child && mp_sandbox_is_shut())
        count_shut_child();
    mp_diag_quiet += mp_session.child;     /* the family's file reports it at the end */
    if (mp_session_begin_held(mp_options.file, beside ? MP_FILE_OF_CHILD : MP_FILE_AS_SAID,
                              MP_SAMPLE_AS_SAID) < 0 && mp_session.child && !mp_sandbox_is_shut()) {
        mp_session.orphan = true;
        mp_hooks_turn(MP_HOOKS_RECORD);     /* the hooks count what is lost */
    }
    mp_diag_quiet -= mp_session.child;
    if (mp_options.stopped && !mp_session.child)
        mp_session_rest_held();
}

/* ------------------------------------------------------------------ recorders */

void
mp_session_give_recorder(struct mp_recorder *recorder)
{
    MP_LOCK_HELD();
    if (recorder->header != mp_store.header) {
        mp_recorder_recycle(recorder);
        return;
    }
    mp_counter_commit(recorder);
    mp_recorder_give(recorder);
    if (mp_recorder_active() <= 1) {
        mp_session.alone = true;
        mp_gate_raise();                /* so that pending bytes are collected */
    }
}

/* Sets the work that RECORDER's thread has to do. Checks afterwards whether there is a request, because another process
 * may have made the request before it could mark this recorder. */
static void
set_pending_work(struct mp_recorder *recorder)
{
    uint32_t own = recorder->check || recorder->events || recorder->autosave_left ? MP_PENDING_OWN : 0;

    __atomic_store_n(&recorder->live->pending_work, own, __ATOMIC_SEQ_CST);
    if (mp_control_wanted())
        __atomic_or_fetch(&recorder->live->pending_work, MP_PENDING_REQUEST, __ATOMIC_RELAXED);
}

bool
mp_session_goes_on(void)
{
    MP_LOCK_HELD();
    if (!mp_gate_is_ours())
        begin_process();
    if (mp_store.header && (mp_store_is_lost() || mp_store.header->state == MP_STATE_FULL))
        mp_session.off = true;             /* until mprof_restart() */
    return !mp_session.off && mp_store.header;
}

struct mp_recorder *
mp_session_take_recorder(void)
{
    MP_LOCK_HELD();
    struct mp_recorder *recorder = mp_recorder_take((uint32_t)mp_sys_gettid());

    mp_thread.poor = !recorder;
    if (!recorder)
        return NULL;
    recorder->session = mp_session.number;
    recorder->autosave_left = mp_session.autosave;
    recorder->check = mp_options.check == 1 && !mp_options.fold;
    recorder->events = mp_options.record;
    recorder->lent = false;
    mp_sample_recorder(recorder);
    recorder->timed = mp_options.lifetimes && recorder->sample_period == 0;
    recorder->logs = mp_options.log[0] && recorder->sample_period == 0;
    recorder->unusual = recorder->timed || recorder->logs || recorder->sample_period > 0 || mp_sentinel_on;
    recorder->only_timed = recorder->timed && !recorder->logs && !mp_sentinel_on;
    recorder->quick_id = recorder->unusual ? 0 : recorder->id;
    set_pending_work(recorder);
    if (mp_recorder_active() == 2) {
        mp_session.alone = false;
        mp_counter_end_sole();
        mp_gate_raise();
    }
    return recorder;
}

struct mp_recorder *
mp_session_collector(void)
{
    MP_LOCK_HELD();
    struct mp_recorder *recorder = mp_session_take_recorder();

    if (recorder) {
        recorder->live->tid = 0;
        recorder->live->threads--;
    }
    return recorder;
}

uint32_t
mp_session_number(void)
{
    return mp_session.number;
}

/* Reads the header without the lock. The file may be released at any time but stays mapped. */
bool
mp_session_active(void)
{
    const struct mp_live_header *header = __atomic_load_n(&mp_store.header, __ATOMIC_ACQUIRE);

    return header && mp_gate_is_ours() && !mp_session.off && header->state == MP_STATE_RUNNING;
}

bool
mp_session_records(void)
{
    bool will_begin = !mp_gate_is_ours() && mp_session.number != 0 && !mp_session.late;

    return mp_session_active() || (will_begin && !mp_session.off);
}

/* ------------------------------------------------------------------ requests of the program */

/* Makes the hooks idle, because nothing is recorded until somebody asks for it. Releases the memory of the block
 * table. */
static void
rest(void)
{
    MP_LOCK_HELD();
    mp_hooks_turn(MP_HOOKS_IDLE);
    mp_block_clear_all();
}

/* Finishes the recording but leaves the file to the caller. */
static void
finish(void)
{
    MP_LOCK_HELD();
    const struct mp_live_header *header = mp_store.header;

    if (header && !mp_session.off && header->state == MP_STATE_RUNNING) {
        mp_store_finish(MP_STATE_STOPPED, -1, 0);
        if (mp_session.late)
            mp_check_report();
    }
    mp_session.off = mp_session.gap = true;
    mp_session.orphan = false;
    mp_gate_raise();
}

void
mp_session_end_held(void)
{
    MP_LOCK_HELD();
    finish();
    mp_store_close();
}

void
mp_session_rest_held(void)
{
    MP_LOCK_HELD();
    mp_session_end_held();
    rest();
}

void
mp_session_end(void)
{
    struct mp_gate_hold hold;

    if (mp_gate_lock(&hold))
        mp_session_rest_held();
    mp_gate_unlock(&hold);
}

/* Ends the recording. Its file is written to disk. If RESTS, no other recording follows at once. */
static void
stop(bool rests)
{
    struct mp_store_file file;
    struct mp_gate_hold hold;
    bool taken = mp_gate_lock(&hold);

    if (taken) {
        finish();
        file = mp_store_give_up();
        if (rests)
            rest();
    }
    mp_gate_unlock(&hold);
    if (taken)
        mp_store_push(&file);           /* this takes long, so other threads must not wait for it */
}

void
mp_session_stop(void)
{
    stop(true);
}

int
mp_session_restart(const char *file)
{
    if (file && strlen(file) >= MP_PATH_SIZE)
        return -ENAMETOOLONG;
    if (mp_sandbox_is_shut())
        return -EPERM;                  /* the present recording continues */
    stop(false);
    return mp_session_begin(file, mp_options.asked_depth, mp_options.asked_fold, 0);
}

int
mp_session_begin(const char *file, uint32_t depth, bool fold, uint32_t sample)
{
    struct mp_gate_hold hold;
    int result;

    if (file && strlen(file) >= MP_PATH_SIZE)
        return -ENAMETOOLONG;
    if (mp_sandbox_is_shut())
        return -EPERM;                  /* the present recording continues */
    if (!mp_session.opened && (result = mp_session_prepare()) != 0)
        return result;
    if (sample == 0)
        sample = mp_options.asked_sample;
    if (mp_gate_lock(&hold)) {
        const bool beside = !file && is_beside();

        mp_session_end_held();
        result = begin(file ? file : mp_options.file, beside ? MP_FILE_BESIDE : MP_FILE_AS_SAID, depth, fold, sample);
    } else {
        result = -EPERM;                /* a seccomp filter was installed meanwhile */
    }
    mp_gate_unlock(&hold);
    return result;
}

void
mp_session_autosave(uint64_t count)
{
    struct mp_gate_hold hold;

    if (mp_gate_lock(&hold)) {
        mp_session.autosave = count;
        if (mp_gate_is_ours())
            mp_recorder_autosave(count);
    }
    mp_gate_unlock(&hold);
}
