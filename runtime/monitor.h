/*
 * monitor.h -- what a bridge into an allocator calls, beside the events in session.h; for a language
 * with a collected heap there are heap.h and name.h.
 *
 * HOOK_FRAME is __builtin_frame_address(0) of the function that the program called; it must be
 * compiled with a frame pointer (-fno-omit-frame-pointer), and its caller is the innermost frame
 * of the chain.  None of these functions changes errno, allocates with malloc, or takes a lock on
 * its common way; all may be called in signal handlers, at any time, in any thread.
 */
#ifndef MP_MONITOR_H
#define MP_MONITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A block of SIZE bytes at BLOCK was allocated; KIND as in sizeclass.h.  Before the program gets it. */
void mp_alloc(const void *block, size_t size, unsigned kind, const void *hook_frame);

/* BLOCK is about to be freed; false: it was not recorded. */
bool mp_free(const void *block, const void *hook_frame);

/* realloc is a free and an allocation.  Before it the record of the old block is taken away; after
 * it, mp_realloc_done() counts both, or mp_realloc_failed() puts the record back. */
uint64_t mp_realloc_begin(const void *old);
void mp_realloc_done(const void *old, uint64_t record, const void *block, size_t size,
                     unsigned kind, const void *hook_frame);
void mp_realloc_failed(const void *old, uint64_t record);

/* After mp_session_shut() in session.h; FAILED, if that returned true and there is no filter. */
void mp_monitor_shut_done(bool failed);

/* Before the program has the processor's time stamp counter forbidden. */
void mp_monitor_no_clock(void);

/* The program's own system call, by the kernel's number: what the kernel returns. */
long mp_monitor_call(long number, long a, long b, long c, long d, long e, long f);

/* The program limits its addresses to BYTES (RLIMIT_AS): what is reserved here is not to use them up. */
void mp_monitor_limit(uint64_t bytes);

/* The allocator was asked to give back to the system what it can: so does the monitor. */
void mp_monitor_trimmed(void);

/* The descriptor of the data file, -1: none; it is far from those that programs count on.  Is it still
 * the file's, or has the program that number for a file of its own?  And: take another number. */
int mp_monitor_descriptor(void);
bool mp_monitor_has_file_open(void);
void mp_monitor_move_descriptor(void);

/* Programs that are started are to be profiled too: not from behind a filter.  And: if one is started
 * now, could its monitor make a data file? */
bool mp_monitor_follows(void);
bool mp_monitor_can_begin(void);

/* Between these two, what the thread does is the bridge's own and not recorded; SAVED is what the
 * first one returned. */
uint32_t mp_monitor_pause(void);
void mp_monitor_resume(uint32_t saved);

/* Record into FILE (NULL: as in the environment) from now on, chains of at most DEPTH frames (0:
 * whole), of recursion the first round only if FOLD, with samples SAMPLE bytes apart in the mean (0: as in
 * the environment); 0 or -errno, of which nothing is said.  mp_session_end() ends it. */
int mp_monitor_begin(const char *file, unsigned depth, bool fold, uint32_t sample);

/* Path of the present or last data file; "": there was none. */
const char *mp_monitor_file(void);

/* Call WHAT with DATA and the monitor's lock: it waits for nobody and allocates nothing.  Behind a
 * seccomp filter the lock may not be had: then it is not called. */
void mp_monitor_locked(void (*what)(void *data), void *data);

#endif
