/* SPDX-License-Identifier: MIT */
/*
 * session.h -- the recording as a whole. This directory owns when recording begins and ends, the file that it goes
 * into, how threads enter the monitor, and the reactions to exit, fork and exec. It uses all directories of the
 * monitor except heap/. The bridges, monitor.c, api.c and heap/ call it.
 *
 * A session is one data file. The first session of a process begins with its first allocation, or at the latest when
 * the library's constructor runs. mprof_restart() begins another session. In the child of a fork, the child's first
 * allocation begins a session.
 */
#ifndef MP_SESSION_SESSION_H
#define MP_SESSION_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/format.h"
#include "runtime/runner_message.h"

/* Minimum distance in bytes of two blocks of the program's allocator: 8, 16 or 32. Set before the first session
 * begins. */
extern unsigned mp_session_block_distance;

/* Prepares those parts of the monitor that need libc (thread destructors, libunwind), and begins the session.
 * Called once, by a constructor. */
void mp_session_open(void);

/* Prepares the monitor in a program that runs already. Nothing is recorded before mprof_restart(). */
void mp_session_open_late(void);

/* Notes in the file that WHAT bypasses the monitor, such as an operator new or a malloc of the program's own. */
void mp_session_not_seen(enum mp_missing what);

/* Note in the file that the process is about to end (mp_session_exit) or to execute another program (mp_session_exec).
 * STATUS is the exit status, or -1 if it is unknown. PROFILED means that the next program is profiled, too, and KNOWN
 * that mprof run was told of it. mp_session_exec_failed() undoes mp_session_exec(). */
void mp_session_exit(int status);
void mp_session_exec(bool profiled, bool known);
void mp_session_exec_failed(bool profiled, bool known);

/* If BECOMES, notes that this process is about to end in daemon(3), without exit(). Otherwise notes that daemon(3) has
 * failed. */
void mp_session_daemon(bool becomes);

/* Returns whether the options ask for the memory that malloc holds at the end. Called when the session is open. */
bool mp_session_wants_held(void);

/* mp_session_may_ask() returns whether malloc may be asked for its figures. FRAME is the frame address of a
 * function that exit() has called. The result is false if exit() was called within a hook or a signal handler,
 * which may have interrupted malloc, or if it is unknown where exit() was called. mp_session_allocator() stores FIGURES
 * and adds the resident bytes. Both are called between mp_sandbox_enter() and mp_sandbox_leave(). */
bool mp_session_may_ask(const void *frame);
void mp_session_allocator(const struct mp_live_allocator *figures);

/* Notifies mprof run that this process is about to execute the program PATH (PID is 0), or that process PID, which this
 * process has started, executes PATH. PROGRAM is a descriptor of the program's file, or -1. REACH is whether the
 * program can be recorded. Returns whether mprof run was notified. */
bool mp_session_starts(enum mp_reach reach, pid_t pid, const char *path, int program);

/* Counts that this process has started another program, unless the program is KNOWN: profiled, too, or announced to
 * mprof run. */
void mp_session_spawned(bool known);

/* Handle fork() in the parent and in the child. */
void mp_session_forked(void);
void mp_session_forked_child(void);

/* Forgets the code of modules that are no longer loaded. Called when code may have been unloaded. */
void mp_session_code_unloaded(void);

/* mp_session_shut() stops all system calls of the monitor, because the process is about to install the seccomp filter
 * FILTER, a struct sock_fprog, or NULL for the strict mode. FRAME is the frame address of the hook. Returns false if
 * they had been stopped before. mp_session_shut_failed() allows them again because the filter was not installed. */
bool mp_session_shut(const void *frame, const void *filter);
void mp_session_shut_failed(void);

/* Implement mprof_stop() and mprof_restart(). When they return, all recorded data are on the disk. */
void mp_session_stop(void);
int mp_session_restart(const char *file);

/* Ends the recording without waiting for the disk. */
void mp_session_end(void);

/* Begins a recording. Chains have at most DEPTH frames; 0 means whole chains. FOLD folds recursion. Samples are
 * SAMPLE bytes apart on average; 0 means as the environment asks. Returns 0 or -errno. */
int mp_session_begin(const char *file, uint32_t depth, bool fold, uint32_t sample);

/* Makes each thread write the file to disk after every COUNT allocations, or never if COUNT is 0. */
void mp_session_autosave(uint64_t count);

/* mp_session_active() returns whether a file of this process is being written. mp_session_records() returns whether
 * allocations are recorded, which includes a session that begins with the next allocation. */
bool mp_session_active(void);
bool mp_session_records(void);

/* Returns the number of the session, which is unique in a process and its ancestors, or 0 if there was no session
 * yet. */
uint32_t mp_session_number(void);

/* Returns a recorder that counts what a collector frees, or NULL if there is no memory. Lock held. */
struct mp_recorder;
struct mp_recorder *mp_session_collector(void);

/* Return figures of the present session. They are bytes unless their comments state something else. */
int64_t mp_session_current(void);
int64_t mp_session_peak(void);
int64_t mp_session_current_blocks(void);        /* count of blocks and objects */

/* Returns what was allocated by RECORDER, or by all recorders if RECORDER is NULL. */
struct mp_allocated mp_session_allocated(const struct mp_recorder *recorder);

void mp_session_reset_peak(void);

/* Writes a line with the session's figures to standard error. It begins with "mprof: TEXT". */
void mp_session_print_status(const char *text);

/* Writes a line with the session's figures to the file that MPROF_SUMMARY names. Called while the session is
 * active, when the process is about to end. */
void mp_session_summary(void);

#endif
