/* SPDX-License-Identifier: MIT */
/*
 * stack_use.c -- implements mprof_stack_clear() and mprof_stack_usage(), which measure how deep a thread's stack
 * was between two points in time.
 *
 * mprof_stack_clear() sets the stack below the stack pointer to 0. Later the lowest nonzero word shows how far the
 * stack reached. Whole pages are released to the kernel, which replaces them with zero pages, so that clearing a
 * stack that was never used costs nothing. Only the stack with which the thread was started is cleared, because the
 * memory below any other stack may belong to others.
 */
#define MPROF_WEAK __attribute__((visibility("default")))
#include "mprof.h"

#include <pthread.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "runtime/system/gate.h"
#include "runtime/system/mapped.h"
#include "runtime/system/sandbox.h"
#include "runtime/system/sys.h"
#include "runtime/system/thread.h"

#define OWN 512u                /* bytes below the caller's frame that the functions of this file need while they
                                   clear the stack */

/* Set by mprof_stack_clear(). */
static MP_TLS struct {
    uintptr_t base;             /* stack pointer at that time; 0 if nothing was cleared */
    uintptr_t low, high;        /* cleared address range */
} cleared;

/* Returns the lowest mapped address of the thread's own stack, or 0 if HERE is not on that stack or nothing is
 * known. */
static MP_NOINLINE uintptr_t
lowest(uintptr_t here)
{
    uintptr_t low = 0, start = 0;
    pthread_attr_t attributes;
    struct mp_gate_hold hold;
    uint32_t saved;
    void *address;
    size_t size;

    if (!mp_sandbox_enter())
        return 0;
    saved = mp_pause(&mp_thread);       /* pthread_getattr_np() allocates */
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        if (pthread_attr_getstack(&attributes, &address, &size) == 0 && here - (uintptr_t)address < size)
            low = (uintptr_t)address;
        pthread_attr_destroy(&attributes);
    }
    mp_resume(&mp_thread, saved);
    if (low) {
        if (mp_gate_lock(&hold))
            start = mp_mapped_start(here);
        mp_gate_unlock(&hold);
        if (start == 0)
            start = here;
    }
    mp_sandbox_leave();
    return start > low ? start : low;
}

/* Clears [LOW, HIGH). Calls no function that would need the cleared stack. */
static MP_NOINLINE void
clear(uintptr_t low, uintptr_t high)
{
    const uintptr_t page = getauxval(AT_PAGESZ), end = high & -page;
    volatile uint64_t *word = (volatile uint64_t *)high;
    const bool given = end > low && mp_sys_madvise((void *)low, end - low, MADV_DONTNEED) == 0;

    while ((uintptr_t)word > (given ? end : low))
        *--word = 0;
}

MP_NOINLINE void
mprof_stack_clear(void)
{
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);

    cleared.base = 0;
    cleared.low = lowest(here);
    cleared.high = (here - OWN) & -(uintptr_t)sizeof(uint64_t);
    if (cleared.low == 0 || cleared.high <= cleared.low)
        return;
    clear(cleared.low, cleared.high);
    cleared.base = here;
}

/* Returns the address of the first nonzero word from LOW on, or HIGH if all words are zero. */
static uintptr_t
first_used(uintptr_t low, uintptr_t high)
{
    while (low < high && *(const volatile uint64_t *)low == 0)
        low += sizeof(uint64_t);
    return low;
}

/* Also searches below the cleared range, because if the stack has grown, its mapping has, too. Finding the mapping
 * uses the stack, but only near this function's frame. */
MP_NOINLINE size_t
mprof_stack_usage(void)
{
    const uintptr_t used = cleared.base ? first_used(cleared.low, cleared.high) : 0;
    uintptr_t low, deeper;

    if (!cleared.base)
        return 0;
    low = lowest((uintptr_t)__builtin_frame_address(0));
    deeper = low && low < cleared.low ? first_used(low, cleared.low) : cleared.low;
    if (deeper < cleared.low)
        return cleared.base - deeper;
    return used < cleared.high ? cleared.base - used : 0;
}
