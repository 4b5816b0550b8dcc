/* SPDX-License-Identifier: MIT */
/*
 * sandbox.h -- support for programs that sandbox themselves with a seccomp filter.
 *
 * Behind a filter, a system call that the program itself would not have made may kill it. So before the program
 * installs its first filter, the monitor prepares what the rest of the recording may need (space in the file,
 * memory). From then on the process counts as *sandboxed*: the monitor makes no system calls in any of its
 * threads or forked children, whatever the filter allows. Even a call that returns an error or goes to a tracer would
 * be noticed.
 *
 * Every system call of the monitor, including calls by libraries on its behalf, is made between
 * mp_sandbox_enter() and mp_sandbox_leave().
 */
#ifndef MP_SANDBOX_H
#define MP_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Phases of a process. Threads between mp_sandbox_enter() and mp_sandbox_leave() are *inside*. While the process is
 * SHUTTING, it waits for the threads that are inside, and other threads may enter only to wake these. */
enum mp_sandbox_phase { MP_SANDBOX_OPEN, MP_SANDBOX_SHUTTING, MP_SANDBOX_SHUT };

/* State of the process as to system calls. Only sandbox.c and sandbox_shut.c change it. */
extern struct mp_sandbox {
    uint32_t phase;
    uint32_t inside;            /* number of calls of mp_sandbox_enter() in all threads for which
                                   mp_sandbox_leave() was not called yet */
    uint32_t installing;        /* 1 if a thread is about to install a filter */
    uint64_t since;             /* ns, CLOCK_MONOTONIC, when the process was sandboxed */
    bool no_return;             /* a filter may end the process when a signal handler returns, so no read may fault */
    struct { char *start; size_t size, used; } memory;  /* reserved for mp_sandbox_memory() */
} mp_sandbox;

/* mp_sandbox_enter() returns whether this thread may make system calls until it calls mp_sandbox_leave(). If it
 * returns false, mp_sandbox_leave() must not be called. Calls may be nested. A thread that is already inside may
 * always enter. */
bool mp_sandbox_enter(void);
void mp_sandbox_leave(void);

/* Like mp_sandbox_enter(), but succeeds also while mp_sandbox_shut() waits for the threads inside, which may
 * sleep until this one wakes them. */
bool mp_sandbox_enter_to_wake(void);

/* Returns whether the process is sandboxed, or is about to be. Returns false in a thread that is inside. */
bool mp_sandbox_is_shut(void);

/* Returns whether other threads are inside. */
bool mp_sandbox_others_inside(void);

/* Resets the number of threads that are inside. Called in the child of a fork, which has only the calling thread. */
void mp_sandbox_forked_child(void);

/* ---- replacements for system calls */

/* Returns SIZE bytes of zeroed memory that mp_sandbox_shut() has reserved, or NULL if the reserve is used up. The
 * memory cannot be freed. */
void *mp_sandbox_memory(size_t size);

/* Copies SIZE bytes at ADDRESS to BUFFER and returns true if the caller runs on the main thread's stack and the bytes
 * are on that stack above the caller's frame, where all bytes are readable. Otherwise returns false. */
bool mp_sandbox_peek(uintptr_t address, void *buffer, size_t size);

/* mp_sandbox_clock() returns CLOCK_MONOTONIC in ns, which may be some milliseconds late. If no clock is
 * available, it returns the time when the process was sandboxed. mp_sandbox_find_clock() finds the clock. It is
 * called once, by a constructor. */
uint64_t mp_sandbox_clock(void);
void mp_sandbox_find_clock(void);

/*
 * Notes the beginning and the end of an operation during which signals should be blocked but cannot be. A signal
 * handler may interrupt the operation and leave it by a jump. AT is the caller's position on the stack. Calls may
 * be nested.
 */
void mp_sandbox_exposed(uintptr_t at);
void mp_sandbox_exposed_end(void);

/* mp_sandbox_exposed_at() returns the position AT of the outermost operation that this thread has begun with
 * mp_sandbox_exposed() and not ended, or 0 if there is none. mp_sandbox_exposed_left() ends all these operations,
 * because a jump has left them. */
uintptr_t mp_sandbox_exposed_at(void);
void mp_sandbox_exposed_left(void);

/* Called when a handler has jumped out of all hooks that this thread was in. The thread is no longer inside. */
void mp_sandbox_all_left(void);

#endif
