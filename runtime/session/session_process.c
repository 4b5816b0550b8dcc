/* SPDX-License-Identifier: MIT */
/*
 * session_process.c -- reactions of the session to start, exit, fork and exec.
 */
#include "session.h"

#include "activation.h"
#include "control.h"
#include "hook_mode.h"
#include "runtime/scan/scan_descriptors.h"
#include "runtime/snapshot/snapshot_copy.h"
#include "runtime/store/store.h"
#include "runtime/system/diag.h"
#include "runtime/system/options.h"
#include "runtime/system/program.h"
#include "runtime/system/runner.h"
#include "runtime/system/sandbox.h"
#include "runtime/system/sys.h"
#include "runtime/unwind/chain.h"
#include "runtime/unwind/chain_check.h"
#include "runtime/unwind/code.h"
#include "runtime/unwind/module.h"
#include "runtime/unwind/unwind.h"
#include "session_file.h"
#include "session_leaks.h"
#include "session_state.h"
#include "session_snapshot.h"

/* Prepares those parts of the monitor that need libc. The allocations that libc makes for that are the monitor's
 * own and are not recorded. */
static void
open_library(void)
{
    const uint32_t saved = mp_pause(&mp_thread);

    mp_sandbox_find_clock();
    mp_activation_open();
    mp_scan_descriptors_open();
    if ((mp_options.check == 1 || mp_options.unwinder == MP_UNWIND_LIBUNWIND) &&
        !mp_sandbox_is_shut() && !mp_unwind_open())
        mp_diag(MP_UNWIND_SONAME, 0, mp_options.check == 1 ? "cannot be loaded: nothing is checked"
                                                      : "cannot be loaded: chains are cut to one frame");
    if (!mp_session.late)
        mp_snapshot_open();
    mp_resume(&mp_thread, saved);
}

void
mp_session_open(void)
{
    mp_activation_begin(__builtin_frame_address(0));    /* so that a program that allocates nothing has a data file */
    open_library();
}

void
mp_session_open_late(void)
{
    mp_session.off = mp_session.late = true;
    mp_hooks_turn(MP_HOOKS_IDLE);
    if (!mp_session.opened && mp_session_prepare() != 0)
        return;
    mp_runner_tell(MP_RUNNER_NONE, 0, 0, mp_program_path(), -1);
    open_library();
}

void
mp_session_not_seen(enum mp_missing what)
{
    struct mp_live_header *header = mp_store.header;

    if (header && mp_gate_is_ours())
        header->missing[what] = 1;
}

/* Returns whether a file in STATE can still record the end of the process. Behind a filter, the monitor cannot ask for
 * the process id. So it may take the end of a vfork's child for the end of the process, and a later end replaces an
 * earlier one. */
static bool
has_not_ended(uint32_t state)
{
    return state == MP_STATE_RUNNING || (state == MP_STATE_EXITED && mp_sandbox_is_shut());
}

void
mp_session_exit(int status)
{
    struct mp_gate_hold hold;

    if (!mp_session_is_ours()) {
        if (mp_gate_is_ours() && mp_store_is_ours()) {
            if (mp_gate_lock(&hold))
                mp_store_is_lost();     /* notes in the file that the recording is lost */
            mp_gate_unlock(&hold);
        }
        mp_session_shut_lent(false);
        return;
    }
    if (has_not_ended(mp_store.header->state))
        mp_session_summary();
    mp_session_leaks_at_exit();
    /* Behind a filter, the end is written to the header, and nowhere else, even if the lock is unavailable. */
    if ((mp_gate_lock(&hold) || mp_sandbox_is_shut()) && !mp_store_is_lost() && mp_session_is_ours() &&
        has_not_ended(mp_store.header->state))
        mp_store_finish(MP_STATE_EXITED, status & 0377, 0);
    mp_gate_unlock(&hold);
    mp_check_report();
}

bool
mp_session_starts(enum mp_reach reach, pid_t pid, const char *path, int program)
{
    return mp_runner_tell(MP_RUNNER_STARTS, reach, (uint32_t)pid, path, program);
}

void
mp_session_spawned(bool known)
{
    struct mp_live_header *family = mp_session_family();

    if (family && !known)
        __atomic_add_fetch(&family->programs_started, 1, __ATOMIC_RELAXED);
}

/* Notes in the file that the process executes another program. Removes the file if it is a forked child's and the other
 * program is not profiled. The family's file counts that the child ran. */
void
mp_session_exec(bool profiled, bool known)
{
    struct mp_gate_hold hold;

    mp_session_spawned(profiled || known);
    if (mp_gate_lock(&hold) && mp_session_is_ours()) {
        if (mp_store.header->state == MP_STATE_RUNNING)
            mp_store_finish(MP_STATE_EXEC, -1, 0);
        if (!profiled && mp_store.header != mp_session_family())
            mp_store_remove();
    }
    mp_gate_unlock(&hold);
    mp_session_shut_lent(false);
}

void
mp_session_exec_failed(bool profiled, bool known)
{
    struct mp_live_header *family = mp_session_family();
    struct mp_gate_hold hold;
    bool taken;

    mp_session_shut_lent(true);
    if (known)
        mp_runner_tell(MP_RUNNER_NOT_STARTED, 0, 0, "", -1);
    if (profiled)
        mp_runner_open();
    if (family && !profiled && !known)
        __atomic_sub_fetch(&family->programs_started, 1, __ATOMIC_RELAXED);
    taken = mp_gate_lock(&hold);
    if (taken && !mp_store.header && !mp_session.off)
        mp_gate->generation = 0;        /* the file of this process was removed, so the next allocation makes another
                                           one */
    else if (taken && mp_session_is_ours() && mp_store.header->state == MP_STATE_EXEC) {
        mp_store.header->state = MP_STATE_RUNNING;
        mp_store.header->unwanted = 0;
    }
    mp_gate_unlock(&hold);
}

void
mp_session_forked(void)
{
    if (mp_store.header && mp_gate_is_ours())
        __atomic_add_fetch(&mp_store.header->processes_forked, 1, __ATOMIC_RELAXED);
}

/* Prepares the child of a fork for a session of its own. The parent does not hold the lock during fork(), because
 * other fork handlers may allocate then. So another thread may have been changing data when the process was forked, and
 * the child does not use such data. */
void
mp_session_forked_child(void)
{
    mp_gate_reset();
    mp_sandbox_forked_child();
    mp_copy_forked_child();
    mp_control_listen(NULL);
    if (mp_thread.busy) {
        /* fork() was called in a signal handler that interrupted the monitor. The monitor will continue in the
         * child, on private memory that nobody else reads. */
        mp_store_make_private();
        mp_thread.recorder = NULL;
        mp_session.interrupted = true;
    }
    mp_thread.busy = 0;
    mp_thread.lent = NULL;
    mp_thread.held = 0;
    mp_thread.generation = UINT32_MAX;
}

void
mp_session_code_unloaded(void)
{
    struct mp_gate_hold hold;

    if (mp_gate_lock(&hold) && mp_store.header && !mp_session.off &&
        mp_module_sweep(mp_code_forget)) {
        mp_unwind_code_unloaded();
        mp_gate_raise();
    }
    mp_gate_unlock(&hold);
}
