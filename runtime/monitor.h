/*
 * monitor.h -- what a bridge into an allocator calls, in addition to the events in session.h. Bridges to a
 * language with a collected heap use heap.h and name.h as well.
 *
 * HOOK_FRAME is __builtin_frame_address(0) of the function that the program called. That function must be
 * compiled with -fno-omit-frame-pointer, and its caller is the innermost frame of the chain. These functions do
 * not change errno, do not call malloc, and usually take no lock. All may be called at any time, in any thread,
 * and in signal handlers.
 */
#ifndef MP_MONITOR_H
#define MP_MONITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Records an allocation of SIZE bytes at BLOCK, of KIND (sizeclass.h). Called before the program gets BLOCK. */
void mp_alloc(const void *block, size_t size, unsigned kind, const void *hook_frame);

/* Records a free. Called before BLOCK is freed. Returns false if its allocation was not recorded. */
bool mp_free(const void *block, const void *hook_frame);

/* realloc counts as a free and an allocation. mp_realloc_begin() is called before it and removes and returns the
 * record of OLD. After it, mp_realloc_done() counts both, or mp_realloc_failed() restores the record. */
uint64_t mp_realloc_begin(const void *old);
void mp_realloc_done(const void *old, uint64_t record, const void *block, size_t size,
                     unsigned kind, const void *hook_frame);
void mp_realloc_failed(const void *old, uint64_t record);

/* Called after mp_session_shut() (session.h) and the attempt to install a filter. FAILED: mp_session_shut()
 * returned true, but there is no filter. */
void mp_monitor_shut_done(bool failed);

/* Called before the program disables the processor's time stamp counter. */
void mp_monitor_no_clock(void);

/* Makes a system call for the program, by the kernel's NUMBER. Returns what the kernel returns. */
long mp_monitor_call(long number, long a, long b, long c, long d, long e, long f);

/* Called when the program limits its address space to BYTES (RLIMIT_AS), so that the monitor reserves less. */
void mp_monitor_limit(uint64_t bytes);

/* Releases unused memory to the system. Called when the program has asked its allocator to do so (malloc_trim). */
void mp_monitor_trimmed(void);

/* mp_monitor_descriptor() returns the descriptor of the data file, a high number that programs do not expect, or
 * -1 if there is none. mp_monitor_has_file_open() returns whether that number still refers to the data file and
 * not to a file of the program. mp_monitor_move_descriptor() moves the data file to another number. */
int mp_monitor_descriptor(void);
bool mp_monitor_has_file_open(void);
void mp_monitor_move_descriptor(void);

/* mp_monitor_follows() returns whether programs started by this one are to be profiled; false behind a seccomp
 * filter. mp_monitor_can_begin() returns whether the monitor of a program started now could create its data
 * file. */
bool mp_monitor_follows(void);
bool mp_monitor_can_begin(void);

/* What the thread does between these two calls belongs to the bridge and is not recorded. mp_monitor_resume()
 * takes the value that mp_monitor_pause() returned. */
uint32_t mp_monitor_pause(void);
void mp_monitor_resume(uint32_t saved);

/* Begins a recording into FILE, or the environment's file if NULL. Chains have at most DEPTH frames (0: no
 * limit). If FOLD, only the first round of a recursion is kept. SAMPLE is the mean distance of samples in bytes,
 * 0 for the environment's. Returns 0 or -errno, and prints nothing. mp_session_end() ends the recording. */
int mp_monitor_begin(const char *file, unsigned depth, bool fold, uint32_t sample);

/* Returns the path of the present or last data file, or "" if there was none. */
const char *mp_monitor_file(void);

/* Calls WHAT with DATA while holding the monitor's lock. WHAT must not wait or allocate. Behind a seccomp filter
 * the lock may be unavailable; then WHAT is not called. */
void mp_monitor_locked(void (*what)(void *data), void *data);

#endif
