/*
 * seccomp.c -- the program installs a seccomp filter: the monitor is told before, because afterwards it
 * can do nothing any more.  libc has no function for seccomp(2); who wants it calls syscall().
 */
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

#include "hooks.h"
#include "next.h"
#include "runtime/compiler.h"
#include "runtime/monitor.h"

#ifndef SECCOMP_FILTER_FLAG_NEW_LISTENER
#define SECCOMP_FILTER_FLAG_NEW_LISTENER (1ul << 3)
#endif

/* Both have "..." in their headers.  Who is called so finds its arguments in the same places if it
 * has as many as are ever passed, and can pass them on with a jump: with clone() among the system
 * calls, a child may come back where there is no frame of ours. */
typedef long system_call(long, long, long, long, long, long, long);
typedef int process_control(int, unsigned long, unsigned long, unsigned long, unsigned long);

MP_PUBLIC system_call syscall;
MP_PUBLIC process_control prctl;

static struct {
    system_call *syscall;
    process_control *prctl;
} next;

void
mp_seccomp_open(void)
{
    void *number = mp_next_symbol("syscall"), *control = mp_next_symbol("prctl");

    memcpy(&next.syscall, &number, sizeof number);
    memcpy(&next.prctl, &control, sizeof control);
}

/* ------------------------------------------------------------------ is it a filter? */

/* libseccomp asks what the kernel knows by filters that are none. */
static bool
is_filter(unsigned long mode, const void *filter)
{
    return mode == SECCOMP_MODE_STRICT || (mode == SECCOMP_MODE_FILTER && filter);
}

static bool
sets_filter(unsigned long option, unsigned long mode, unsigned long filter)
{
    return option == PR_SET_SECCOMP && is_filter(mode, (const void *)filter);
}

static bool
calls_seccomp(unsigned long operation, unsigned long flags, unsigned long filter)
{
    if (operation == SECCOMP_SET_MODE_STRICT)
        return flags == 0 && filter == 0;
    return operation == SECCOMP_SET_MODE_FILTER && filter != 0;
}

static bool
installs(long number, unsigned long a, unsigned long b, unsigned long c)
{
    return number == SYS_seccomp ? calls_seccomp(a, b, c) : number == SYS_prctl && sets_filter(a, b, c);
}

/* ------------------------------------------------------------------ hooks */

/* A positive number may be a new listener's descriptor, or a thread that was in the way of a filter for
 * all threads. */
static bool
failed(long number, unsigned long flags, long result)
{
    const unsigned long listener = SECCOMP_FILTER_FLAG_NEW_LISTENER;

    return result < 0 || (number == SYS_seccomp && result > 0 && !(flags & listener));
}

static MP_NOINLINE MP_COLD long
install(const void *frame, long number, long a, long b, long c, long d, long e, long f)
{
    bool shut = mp_monitor_shut(frame);
    long result = next.syscall(number, a, b, c, d, e, f);

    mp_monitor_shut_done(shut && failed(number, (unsigned long)b, result));
    return result;
}

#ifdef __clang__
#define WITH_JUMPS
#define JUMP __attribute__((musttail)) return
#else
#define WITH_JUMPS __attribute__((optimize("optimize-sibling-calls")))
#define JUMP return
#endif

WITH_JUMPS long
syscall(long number, long a, long b, long c, long d, long e, long f)
{
    if (MP_UNLIKELY(!next.syscall))
        mp_seccomp_open();
    if (MP_UNLIKELY(number == SYS_seccomp || number == SYS_prctl) &&
        installs(number, (unsigned long)a, (unsigned long)b, (unsigned long)c))
        return install(__builtin_frame_address(0), number, a, b, c, d, e, f);
    JUMP next.syscall(number, a, b, c, d, e, f);
}

WITH_JUMPS int
prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
    if (MP_UNLIKELY(!next.prctl))
        mp_seccomp_open();
    if (MP_UNLIKELY(option == PR_SET_SECCOMP) && sets_filter(PR_SET_SECCOMP, a, b)) {
        bool shut = mp_monitor_shut(__builtin_frame_address(0));
        int result = next.prctl(option, a, b, c, d);

        mp_monitor_shut_done(shut && result < 0);
        return result;
    }
    JUMP next.prctl(option, a, b, c, d);
}
