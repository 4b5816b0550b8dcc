/*
 * session.h -- recording as a whole: when it begins and ends, in which file, and what the life of the
 * process means for it.
 *
 * A session is one data file.  It begins with the first allocation of the process, after
 * mprof_restart(), and in the child of a fork with the child's first allocation.
 */
#ifndef MP_SESSION_H
#define MP_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/format.h"

/* Least distance of two blocks of the program's allocator: 8, 16 or 32 bytes.  To be set before the
 * first call. */
extern unsigned mp_session_block_distance;

/* Once, from a constructor: what needs libc (thread destructors, libunwind). */
void mp_session_open(void);

/* The same in a program that runs already: nothing is recorded before mprof_restart(). */
void mp_session_open_late(void);

/* WHAT bypasses us (an operator new, a malloc of the program's own): to be shown in the report. */
void mp_session_not_seen(enum mp_missing what);

/* The process is about to end with STATUS (-1 not known), or to become another program. */
void mp_session_exit(int status);
void mp_session_exec(bool profiled);
void mp_session_exec_failed(bool profiled);

/* Does somebody want to know what malloc holds at the end?  The session is open. */
bool mp_session_wants_held(void);

/* May malloc be asked that, by a function with frame FRAME that exit() has called?  Not if that was called within a
 * hook or a signal handler, which may have interrupted malloc, or if that cannot be told.  And: it says so; what is
 * resident is found here.  Between mp_sandbox_enter() and leave. */
bool mp_session_may_ask(const void *frame);
void mp_session_allocator(const struct mp_live_allocator *figures);

/* A program was started beside this one. */
void mp_session_spawned(bool profiled);

/* After fork(), in the parent and in the child. */
void mp_session_forked(void);
void mp_session_forked_child(void);

/* Code may have been unloaded. */
void mp_session_code_unloaded(void);

/* The process is about to install a seccomp filter, in the hook with frame FRAME: from now on no system
 * call is made.  False: that was so before.  And: there is no filter after all. */
bool mp_session_shut(const void *frame);
void mp_session_shut_failed(void);

/* mprof_stop(), mprof_restart(): what was recorded is on the disk. */
void mp_session_stop(void);
int mp_session_restart(const char *file);

/* End a recording, without waiting for the disk. */
void mp_session_end(void);

/* Begin one, with chains of at most DEPTH frames, 0: whole; FOLD: recursion is folded; with samples SAMPLE
 * bytes apart in the mean, 0: as the environment asks. */
int mp_session_begin(const char *file, uint32_t depth, bool fold, uint32_t sample);

/* Push the file to the disk every COUNT allocations of a thread; 0: never. */
void mp_session_autosave(uint64_t count);

/* Is a file of this process being written?  And: are allocations recorded, the next of which may begin
 * the session? */
bool mp_session_active(void);
bool mp_session_records(void);

/* A number that each session has for itself in a process and its ancestors; 0: there was none yet. */
uint32_t mp_session_number(void);

/* A recorder for what a collector frees; NULL: no memory.  Lock held. */
struct mp_recorder;
struct mp_recorder *mp_session_collector(void);

/* Figures of the present session, bytes. */
int64_t mp_session_current(void);
int64_t mp_session_peak(void);
int64_t mp_session_current_blocks(void);        /* blocks and objects */

/* What was allocated by RECORDER; NULL: by all. */
struct mp_allocated mp_session_allocated(const struct mp_recorder *recorder);

void mp_session_reset_peak(void);

/* Writes a line with these figures to standard error, which begins with "mprof: TEXT". */
void mp_session_print_status(const char *text);

/* The process is about to end: writes that line where MPROF_SUMMARY asks for it.  While the session is active. */
void mp_session_summary(void);

#endif
