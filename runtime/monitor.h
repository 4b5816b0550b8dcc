/*
 * monitor.h -- all that a bridge calls.
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

/* Least distance of two blocks of the program's allocator: 8, 16 or 32 bytes.  To be set before
 * the first call. */
extern unsigned mp_monitor_block_distance;

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

/* From a constructor, an exit function, and around fork and exec: see session.h. */
void mp_monitor_open(void);
void mp_monitor_operator_new(void);
void mp_monitor_exit(int status);
void mp_monitor_exec(void);
void mp_monitor_exec_failed(void);
void mp_monitor_spawned(void);
void mp_monitor_forked(void);
void mp_monitor_forked_child(void);
void mp_monitor_code_unloaded(void);

/* Programs that are started are to be profiled too. */
bool mp_monitor_follows(void);

/* Between these two, what the thread does is the bridge's own and not recorded; SAVED is what the
 * first one returned. */
uint32_t mp_monitor_pause(void);
void mp_monitor_resume(uint32_t saved);

/* Addresses of the dynamic loader: a free() from there may be a dlclose(). */
void mp_monitor_loader(uintptr_t *start, uintptr_t *end);

#endif
