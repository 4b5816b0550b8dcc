/* SPDX-License-Identifier: MIT */
/*
 * mprof.h -- functions with which a program controls and queries the profiler that records it. See mprof(3).
 *
 * All functions are weak: a program that calls them need not be linked with -lmprof. Without the profiler they
 * are NULL. Test a function before you call it, or use the macros:
 *
 *     MPROF(mprof_stop());
 *     size_t peak = MPROF_VALUE(mprof_peak());      0 without the profiler
 */
#ifndef MPROF_H
#define MPROF_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef MPROF_WEAK
#define MPROF_ITSELF
#elif defined __GNUC__ && !defined __clang__
#define MPROF_WEAK __attribute__((weak, noplt))         /* noplt: needed in programs that are not PIE */
#else
#define MPROF_WEAK __attribute__((weak))
#endif

/* Internal. Makes a linker use libmprof.a, or libmprof.so with --as-needed, for which weak references are no reason: it
 * replaces this common symbol by their definition. */
#if !defined MPROF_ITSELF && defined __GNUC__ && defined __ELF__
__asm__(".comm mprof_wanted_,1");
#endif

#define MPROF(call)       (mprof_is_active ? (void)(call) : (void)0)
#define MPROF_VALUE(call) (mprof_is_active ? (call) : 0)

/* Stops recording. When it returns, the data file is complete and on disk. */
MPROF_WEAK void mprof_stop(void);

/* Begins a recording into FILENAME, or the file of the start if NULL. %p in the name becomes the process id, %e
 * the program's name. The new file does not contain blocks allocated before. Returns 0 or a positive errno value:
 * EBUSY if another process records in that file. */
MPROF_WEAK int mprof_restart(const char *filename);

/* Writes the data file to disk after every COUNT allocations of a thread; 0, the default, leaves that to the
 * kernel. The file is always complete, so this protects against a crash of the machine, not of the program. */
MPROF_WEAK void set_mprof_autosave(unsigned long count);

/* Returns 1 while allocations are recorded. */
MPROF_WEAK int mprof_is_active(void);

/* Bytes: live now; maximum live so far, or since mprof_reset_peak(); allocated in total. */
MPROF_WEAK size_t mprof_current(void);
MPROF_WEAK size_t mprof_peak(void);
MPROF_WEAK uint64_t mprof_total(void);

/* Blocks of malloc and Lisp objects: live now; allocated in total. */
MPROF_WEAK size_t mprof_current_blocks(void);
MPROF_WEAK uint64_t mprof_total_blocks(void);

/* Bytes and blocks that the calling thread has allocated. The difference of two values is exact; a single value
 * may include allocations of threads that have ended. Allocations by signal handlers that interrupt malloc are
 * not included. */
MPROF_WEAK uint64_t mprof_thread_total(void);
MPROF_WEAK uint64_t mprof_thread_total_blocks(void);

/* Prints all of these figures on standard error, in a line that begins with "mprof: TEXT". */
MPROF_WEAK void mprof_print_status(const char *text);

/* Calls FUNCTION with COOKIE and the live bytes whenever these have changed by STEP since the last call. The
 * thread that allocates or frees calls it after that operation. FUNCTION may allocate and free, and must return.
 * If there are several threads, only one of them calls it at a time, and each may have changed a sixteenth of STEP
 * more, at most 16 kB. A FUNCTION of NULL ends the calls. */
MPROF_WEAK void mprof_set_callback(void (*function)(void *cookie, size_t current), void *cookie, size_t step);

/* Measure stack use of the calling thread. Call mprof_stack_clear(), which clears the stack below the caller, run
 * the code to be measured, and then call mprof_stack_usage() from the same function. It returns bytes, or 0 if
 * the thread is not on the stack with which it was started. */
MPROF_WEAK void mprof_stack_clear(void);
MPROF_WEAK size_t mprof_stack_usage(void);

/* Sets the peak to what is live now. */
MPROF_WEAK void mprof_reset_peak(void);

/* Marks a point in time with NAME ("parsed") for the options --at, --from and --to of mprof report. The recording
 * keeps what each part of the program had allocated and freed by then. A recording keeps its first 65,535
 * checkpoints. */
MPROF_WEAK void mprof_checkpoint(const char *name);

/* Writes a snapshot of the heap for mprof heap: live blocks, or objects of a Lisp, and their references. The file
 * is FILE.N.NAME.heap beside the data file, or FILE.N.heap if NAME is NULL or "". Characters of NAME other than
 * letters, digits, "-" and "_" are replaced by "_". A copy of the process writes the snapshot while the program
 * continues. Returns 0 or a positive errno value: ENODATA while nothing is recorded, EOPNOTSUPP if not every
 * block is recorded. */
MPROF_WEAK int mprof_heap_snapshot(const char *name);

/* For arenas and pools whose memory malloc does not see. Record that an object of SIZE bytes at ADDRESS in POOL
 * was allocated or freed. POOL is any address that identifies the pool. The chain begins at the caller.
 * mprof_record_free(pool, NULL) frees all objects of the pool. */
MPROF_WEAK void mprof_record_alloc(const void *pool, const void *address, size_t size);
/* Records an array of COUNT elements of SIZE bytes at ADDRESS, which counts as COUNT objects.
 * mprof_record_free(pool, address) frees all of them. The time that the call takes is proportional to COUNT. */
MPROF_WEAK void mprof_record_alloc_array(const void *pool, const void *address, size_t count, size_t size);
MPROF_WEAK void mprof_record_free(const void *pool, const void *address);

#if !defined MPROF_ITSELF && \
    (defined __cplusplus || (defined __STDC_VERSION__ && __STDC_VERSION__ >= 199901L))
/*
 * Expectations of a test about the block that follows. All figures are exact:
 *
 *     MPROF_EXPECT_MAX_ALLOCS(3) {
 *         parse(text);
 *     }
 *
 * MPROF_EXPECT_MAX_ALLOCS and MPROF_EXPECT_MAX_BYTES count what the calling thread allocates.
 * MPROF_EXPECT_NO_LEAKS counts how many more blocks live than before, whichever thread allocated them. In a
 * sampled recording that is an estimate, so use the others there. Without the profiler the block just runs. A
 * block left by break, return, goto or longjmp() is not checked. A failed expectation calls MPROF_FAIL(text),
 * which you may define before including this file. By default it calls ck_abort_msg() in tests that include
 * check.h before this file; otherwise it prints the text and aborts.
 */
#define MPROF_EXPECT_MAX_ALLOCS(n) MPROF_EXPECT_(mprof_thread_total_blocks, n, "allocations")
#define MPROF_EXPECT_MAX_BYTES(n)  MPROF_EXPECT_(mprof_thread_total, n, "bytes allocated")
#define MPROF_EXPECT_NO_LEAKS      MPROF_EXPECT_(mprof_live_blocks_, 0, "blocks kept")

#ifndef MPROF_FAIL
#ifdef CHECK_H
#define MPROF_FAIL(text) ck_abort_msg("%s", text)
#else
#define MPROF_FAIL(text) (fputs(text, stderr), fputc('\n', stderr), abort())
#endif
#endif

/* Internal. */
struct mprof_expectation_ {
    uint64_t (*figure)(void);   /* NULL without the profiler */
    uint64_t before;
    int over;                   /* 1: the block has run */
    char text[256];             /* description of the failure; "" if none */
};

static inline __attribute__((unused)) uint64_t
mprof_live_blocks_(void)
{
    return mprof_current_blocks();
}

static inline __attribute__((unused)) struct mprof_expectation_
mprof_expect_(uint64_t (*figure)(void))
{
    struct mprof_expectation_ e;

    e.figure = mprof_is_active && mprof_is_active() ? figure : 0;
    e.over = 0;
    e.text[0] = '\0';
    e.before = e.figure ? figure() : 0;
    return e;
}

/* Returns 1 if the block has yet to run. Otherwise checks the expectation and returns 0. */
static inline __attribute__((unused)) int
mprof_expects_(struct mprof_expectation_ *e, uint64_t most, const char *what, const char *file, int line)
{
    uint64_t now;

    if (!e->over)
        return e->over = 1;
    now = e->figure && mprof_is_active() ? e->figure() : 0;
    if (now > e->before && now - e->before > most)
        snprintf(e->text, sizeof e->text, "%s:%d: %llu %s, %llu expected at most", file, line,
                 (unsigned long long)(now - e->before), what, (unsigned long long)most);
    return 0;
}

#define MPROF_EXPECT_(figure, most, what)                                                         \
    MPROF_EXPECT_AT_(figure, most, what, __LINE__)
#define MPROF_EXPECT_AT_(figure, most, what, line) MPROF_EXPECT_AS_(figure, most, what, line)
#define MPROF_EXPECT_AS_(figure, most, what, line)                                                \
    for (struct mprof_expectation_ mprof_e_##line = mprof_expect_(figure);                        \
         mprof_expects_(&mprof_e_##line, most, what, __FILE__, line) ||                           \
         (mprof_e_##line.text[0] ? (MPROF_FAIL(mprof_e_##line.text), 0) : 0);)

/* Fixture for the test framework Check: each test of TCASE must free what it allocates.
 *
 *     tcase_add_checked_fixture(tcase, mprof_no_leaks_setup, mprof_no_leaks_teardown); */
#ifdef CHECK_H
static uint64_t mprof_blocks_before_;

static __attribute__((unused)) void
mprof_no_leaks_setup(void)
{
    mprof_blocks_before_ = MPROF_VALUE(mprof_live_blocks_());
}

static __attribute__((unused)) void
mprof_no_leaks_teardown(void)
{
    const uint64_t now = MPROF_VALUE(mprof_live_blocks_());

    if (now > mprof_blocks_before_)
        ck_abort_msg("%llu blocks kept", (unsigned long long)(now - mprof_blocks_before_));
}
#endif
#endif

#ifdef __cplusplus
}
#endif

#endif
