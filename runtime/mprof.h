/*
 * mprof.h -- what a program may say to the profiler that watches it.  See mprof(3).
 *
 * All functions are weak: a program that calls them need not be linked with -lmprof.  Run without
 * the profiler they are NULL; test one before you call it, or use the MPROF() macro:
 *
 *     MPROF(mprof_stop());
 *     size_t peak = MPROF_VALUE(mprof_peak());      0 without the profiler
 */
#ifndef MPROF_H
#define MPROF_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef MPROF_WEAK
#define MPROF_WEAK __attribute__((weak))
#endif

#define MPROF(call)       (mprof_is_active ? (void)(call) : (void)0)
#define MPROF_VALUE(call) (mprof_is_active ? (call) : 0)

/* Stop recording; the data file is complete and on the disk. */
MPROF_WEAK void mprof_stop(void);

/* Record into the file FILENAME from now on (NULL: the file of the start; %p is the process id, %e
 * the program's name).  Blocks allocated before are not known to the new file.  0, or a positive
 * errno value; EBUSY: another process records in that file. */
MPROF_WEAK int mprof_restart(const char *filename);

/* Push the data file to the disk after every COUNT allocations of a thread; 0, the default: leave
 * it to the kernel.  The file is complete at every moment; this guards against a crash of the
 * machine, not of the program. */
MPROF_WEAK void set_mprof_autosave(unsigned long count);

/* 1 while allocations are recorded. */
MPROF_WEAK int mprof_is_active(void);

/* Bytes: live now, live at most so far (or since mprof_reset_peak()), allocated in all. */
MPROF_WEAK size_t mprof_current(void);
MPROF_WEAK size_t mprof_peak(void);
MPROF_WEAK uint64_t mprof_total(void);

/* The same in blocks, and objects: live now, allocated in all. */
MPROF_WEAK size_t mprof_current_blocks(void);
MPROF_WEAK uint64_t mprof_total_blocks(void);

/* The peak begins anew at what is live now. */
MPROF_WEAK void mprof_reset_peak(void);

/* A moment that reports can be asked for by NAME ("parsed"): mprof report --at, --from, --to.  What every
 * part of the program had allocated and freed by then is kept.  The first 1,023 of a recording are. */
MPROF_WEAK void mprof_checkpoint(const char *name);

/* For arenas and pools whose memory malloc never sees: an object of SIZE bytes at ADDRESS in POOL
 * (any address that is the pool's alone) was allocated, or was freed.  The chain begins at the
 * caller.  mprof_record_free(pool, NULL) frees all objects of the pool. */
MPROF_WEAK void mprof_record_alloc(const void *pool, const void *address, size_t size);
MPROF_WEAK void mprof_record_free(const void *pool, const void *address);

#ifdef __cplusplus
}
#endif

#endif
