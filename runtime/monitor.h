/* SPDX-License-Identifier: MIT */
/*
 * monitor.h -- the functions that a bridge into an allocator calls, except those about allocations.
 *
 * runtime/ owns the recording of a process, from the call of a hook to the live file. Bridges call this header,
 * allocations.h for malloc's blocks, session/session.h for events of the process, and heap/heap_record.h and
 * language/name.h for a collected heap; tests/lint/includes.sh lists the few others. The program calls mprof.h.
 *
 * None of these functions allocates with malloc. None of them changes errno, except mp_monitor_can_begin().
 */
#ifndef MP_MONITOR_H
#define MP_MONITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ends what mp_session_shut() (session.h) began. FAILED means that mp_session_shut() returned true but the filter
 * was not installed. */
void mp_monitor_shut_done(bool failed);

/* Stops using the processor's time stamp counter. Called before the program has it forbidden. */
void mp_monitor_no_clock(void);

/* Makes the program's own system call, given by the kernel's number. Returns what the kernel returns. */
long mp_monitor_call(long number, long a, long b, long c, long d, long e, long f);

/* Makes the monitor reserve less address space, because the program limits its own to BYTES (RLIMIT_AS). */
void mp_monitor_limit(uint64_t bytes);

/* Releases unused memory of the monitor to the system. Called when the program has asked its allocator to do the
 * same. */
void mp_monitor_trimmed(void);

/* The monitor has up to two descriptors: that of the data file, and that of the socket to mprof run.
 * mp_monitor_descriptor() returns the first one, or -1 if no file is open. Its number is higher than those that
 * programs expect. mp_monitor_move_descriptor() moves the data file to another number. mp_monitor_next_descriptor()
 * returns the lower one of both that is between FIRST and LAST, or -1 if there is none. A descriptor whose number the
 * program has reused for another file does not count. */
int mp_monitor_descriptor(void);
int mp_monitor_next_descriptor(unsigned first, unsigned last);
void mp_monitor_move_descriptor(void);

/* mp_monitor_follows() returns whether programs that this one starts are to be profiled, too. This is impossible
 * from behind a seccomp filter. mp_monitor_follows_exec() returns whether a program that the calling process executes
 * is to be profiled. A child of fork or vfork is another process. mp_monitor_executed() returns the entry MPROF_FOLLOW
 * for that program. mp_monitor_can_begin() returns whether the monitor could make a data file in a program that is
 * started now. */
bool mp_monitor_follows(void);
bool mp_monitor_follows_exec(void);
const char *mp_monitor_executed(void);
bool mp_monitor_can_begin(void);

/* Lets a program that is executed next inherit the socket to mprof run, even if this one has set close-on-exec. */
void mp_monitor_pass_on(void);

/* Pause and resume recording for the calling thread, while the bridge allocates for itself. SAVED is the result of
 * mp_monitor_pause(). */
uint32_t mp_monitor_pause(void);
void mp_monitor_resume(uint32_t saved);

/* Begins to record into FILE, or into the file that the environment names if FILE is NULL. Chains have at most
 * DEPTH frames; 0 means whole chains. FOLD keeps only the first round of recursion. Samples are SAMPLE bytes apart
 * on average; 0 means as the environment asks. Prints no message, but returns 0 or -errno. mp_session_end() ends
 * the recording. */
int mp_monitor_begin(const char *file, unsigned depth, bool fold, uint32_t sample);

/* Returns the path of the present or last data file, or "" if no file was ever made. */
const char *mp_monitor_file(void);

/* Notes that the program opens the library PATH, which it may remove as soon as it has opened it. */
void mp_monitor_opens(const char *path);

/* Calls WHAT(DATA) with the monitor's lock held. WHAT must neither wait nor allocate. It is not called if the
 * lock is unavailable, which can happen behind a seccomp filter. */
void mp_monitor_locked(void (*what)(void *data), void *data);

#endif
