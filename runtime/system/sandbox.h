/*
 * sandbox.h -- programs that shut themselves off from the kernel with a seccomp filter.
 *
 * Behind a filter a system call that the program would not have made itself may end it.  So before
 * the program installs its first one, what the rest of the recording may need is made ready (space in
 * the file, memory), and from then on the monitor makes no system call at all, in none of its
 * threads and none of its forked children.  What the filter says does not matter: that it returns an
 * error, or is a tracer's, would be noticed as well.
 *
 * Every system call of the monitor's, also one that a library makes for it, stands between
 * mp_sandbox_enter() and mp_sandbox_leave().
 */
#ifndef MP_SANDBOX_H
#define MP_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Shutting: nobody comes in any more but to wake others, and who is inside is waited for. */
enum mp_sandbox_phase { MP_SANDBOX_OPEN, MP_SANDBOX_SHUTTING, MP_SANDBOX_SHUT };

/* What sandbox.c and sandbox_shut.c share. */
extern struct mp_sandbox {
    uint32_t phase;
    uint32_t inside;            /* how often threads are inside */
    uint32_t installing;        /* 1: a thread is about to install a filter */
    uint64_t since;             /* ns, CLOCK_MONOTONIC, when it was shut */
    struct { char *start; size_t size, used; } memory;  /* for mp_sandbox_memory() */
} mp_sandbox;

/* May this thread make system calls, until it calls mp_sandbox_leave()?  If not, that is not to be called.
 * May be nested; a thread that is inside already may always. */
bool mp_sandbox_enter(void);
void mp_sandbox_leave(void);

/* The same, also while mp_sandbox_shut() waits for the threads inside: they may be asleep until this one
 * wakes them. */
bool mp_sandbox_enter_to_wake(void);

/* Is the process shut off?  False in a thread that is inside. */
bool mp_sandbox_is_shut(void);

/* Are other threads inside? */
bool mp_sandbox_others_inside(void);

/* In the child of a fork: threads of the parent's are not inside here. */
void mp_sandbox_forked_child(void);

/* ---- what there is instead of a system call */

/* Zeroed memory of what mp_sandbox_shut() has reserved, never given back; NULL: there is no more. */
void *mp_sandbox_memory(size_t size);

/* Read SIZE bytes at ADDRESS if they are known to be readable: on the main thread's stack, while the
 * caller is there, too. */
bool mp_sandbox_peek(uintptr_t address, void *buffer, size_t size);

/* CLOCK_MONOTONIC, ns, some milliseconds late; when the process was shut off, if there is nothing
 * better.  Found once, from a constructor. */
uint64_t mp_sandbox_clock(void);
void mp_sandbox_find_clock(void);

/*
 * Signals are to be blocked, and cannot be: what goes on until mp_sandbox_exposed_end() can be
 * left half way by a handler that jumps.  AT is the caller's place on the stack.
 */
void mp_sandbox_exposed(uintptr_t at);
void mp_sandbox_exposed_end(void);

/* Where on the stack this thread is exposed, 0: nowhere.  And: that was left, and is forgotten. */
uintptr_t mp_sandbox_exposed_at(void);
void mp_sandbox_exposed_left(void);

/* A handler jumped out of all hooks that this thread was in: it is not inside any more. */
void mp_sandbox_all_left(void);

#endif
