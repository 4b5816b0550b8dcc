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
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef MPROF_WEAK
#define MPROF_ITSELF
#elif defined __GNUC__ && !defined __clang__
#define MPROF_WEAK __attribute__((weak, noplt))         /* noplt: in programs that are no PIE as well */
#else
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

/* What the calling thread has allocated, bytes and blocks.  A difference of two values is exact; the first may
 * count what threads did that have ended.  What a signal handler allocates that interrupts malloc is not in it. */
MPROF_WEAK uint64_t mprof_thread_total(void);
MPROF_WEAK uint64_t mprof_thread_total_blocks(void);

/* Prints all of these on standard error, in a line that begins with "mprof: TEXT". */
MPROF_WEAK void mprof_print_status(const char *text);

/* Call FUNCTION whenever the live bytes have changed by STEP since the last call, with COOKIE and what is live: in the
 * thread that allocates or frees, when that is done.  It may allocate and free, and must return.  Of several threads
 * one at a time calls it, and each may have changed up to 16 kB more.  NULL: nothing is called any more. */
MPROF_WEAK void mprof_set_callback(void (*function)(void *cookie, size_t current), void *cookie, size_t step);

/* How much of the calling thread's stack is used between two points, bytes: clear what is below, run what is to be
 * measured, then ask, from the same function.  0: the thread is not on the stack that it was started with. */
MPROF_WEAK void mprof_stack_clear(void);
MPROF_WEAK size_t mprof_stack_usage(void);

/* The peak begins anew at what is live now. */
MPROF_WEAK void mprof_reset_peak(void);

/* A moment that reports can be asked for by NAME ("parsed"): mprof report --at, --from, --to.  What every
 * part of the program had allocated and freed by then is kept.  The first 1,023 of a recording are. */
MPROF_WEAK void mprof_checkpoint(const char *name);

/* Writes a snapshot of the heap: which blocks, or objects of a Lisp, live and what refers to them, for mprof heap, into
 * FILE.N.NAME.heap beside the data file (FILE.N.heap if NAME is NULL or "").  Characters of NAME other than letters,
 * digits, "-" and "_" become "_" there.  A copy of the process writes it while the program goes on.  Returns 0, or a
 * positive errno value: ENODATA while nothing is recorded, EOPNOTSUPP if not every block is. */
MPROF_WEAK int mprof_heap_snapshot(const char *name);

/* For arenas and pools whose memory malloc never sees: an object of SIZE bytes at ADDRESS in POOL
 * (any address that is the pool's alone) was allocated, or was freed.  The chain begins at the
 * caller.  mprof_record_free(pool, NULL) frees all objects of the pool. */
MPROF_WEAK void mprof_record_alloc(const void *pool, const void *address, size_t size);
/* The same for an array of COUNT elements of SIZE bytes at ADDRESS: it counts as COUNT objects. mprof_record_free(pool,
 * address) frees all of them.  The call takes time in proportion to COUNT. */
MPROF_WEAK void mprof_record_alloc_array(const void *pool, const void *address, size_t count, size_t size);
MPROF_WEAK void mprof_record_free(const void *pool, const void *address);

#if !defined MPROF_ITSELF && \
    (defined __cplusplus || (defined __STDC_VERSION__ && __STDC_VERSION__ >= 199901L))
/*
 * What a test expects of the block that follows, all of it exact:
 *
 *     MPROF_EXPECT_MAX_ALLOCS(3) {
 *         parse(text);
 *     }
 *
 * MPROF_EXPECT_MAX_ALLOCS and _MAX_BYTES count what the calling thread allocates, MPROF_EXPECT_NO_LEAKS what
 * lives more than before, whichever thread allocated it (in a sampled recording that is an estimate: use the
 * former there).  Without the profiler the block is just run.
 * A block that is left by break, return, goto or longjmp() is not judged.  What is expected in vain goes to
 * MPROF_FAIL(text), which may be defined before this file is included: else, in a test of Check's (check.h
 * stands before), to ck_abort_msg(), else the program prints it and aborts.
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

/* Not for programs. */
struct mprof_expectation_ {
    uint64_t (*figure)(void);   /* NULL: there is no profiler */
    uint64_t before;
    int over;                   /* the block has been run */
    char text[256];             /* what is wrong; "": nothing */
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

/* Is the block still to be run?  If not, it has been judged. */
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

/* A fixture of Check's: each test of TCASE frees what it allocates.
 *
 *     tcase_add_checked_fixture(tcase, mprof_no_leaks_setup, mprof_no_leaks_teardown);
 */
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
