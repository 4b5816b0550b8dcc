/* SPDX-License-Identifier: MIT */
/*
 * seccomp.c -- hooks of the functions by which the program installs a seccomp filter, or forbids the counter that
 * chain_deep.h reads. The monitor is notified first, because it can do nothing afterwards. libc has no function for
 * seccomp(2), so programs call syscall().
 */
#include <errno.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

#include "malloc_hooks.h"
#include "next.h"
#include "runtime/compiler.h"
#include "runtime/monitor.h"
#include "runtime/session/session.h"
#include "unbound.h"

#ifndef SECCOMP_FILTER_FLAG_NEW_LISTENER
#define SECCOMP_FILTER_FLAG_NEW_LISTENER (1ul << 3)
#endif

/* Types of syscall() and prctl() with all arguments. The headers declare them with "...". Both kinds of arguments are
 * passed in the same places, so a function can be called with either type. */
typedef long system_call(long, long, long, long, long, long, long);
typedef int process_control(int, unsigned long, unsigned long, unsigned long, unsigned long);

/* The next object's functions. Until they are found, perhaps while the loader is working, the hooks make the system
 * calls themselves. */
system_call *mp_next_syscall;
system_call mp_seccomp_syscall;
static process_control *next_prctl;

void
mp_seccomp_open(void)
{
    MP_NEXT_FUNCTION(mp_next_syscall, "syscall");
    MP_NEXT_FUNCTION(next_prctl, "prctl");
}

/* ------------------------------------------------------------------ is it a filter? */

/* libseccomp passes a NULL filter to find out what the kernel supports. That installs nothing. */
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

/* Returns whether prctl(2) may forbid the processor's time stamp counter. If the program allows it again, the
 * monitor still does not use it. */
static bool
forbids_clock(unsigned long option, unsigned long mode)
{
    return option == PR_SET_TSC || (option == PR_SET_SECCOMP && mode == SECCOMP_MODE_STRICT);
}

static bool
call_forbids_clock(long number, unsigned long a, unsigned long b)
{
    return number == SYS_seccomp ? a == SECCOMP_SET_MODE_STRICT
                                 : number == SYS_prctl && forbids_clock(a, b);
}

/* ------------------------------------------------------------------ hooks */

static MP_NOINLINE long
without_libc(long number, long a, long b, long c, long d, long e, long f)
{
    long result = mp_monitor_call(number, a, b, c, d, e, f);

    if (result >= 0 || result < -4095)
        return result;
    errno = (int)-result;
    return -1;
}

/* Returns whether the call failed. A positive result may be the descriptor of a new listener, or a thread that
 * prevented a filter for all threads. */
static bool
failed(long number, unsigned long flags, long result)
{
    const unsigned long listener = SECCOMP_FILTER_FLAG_NEW_LISTENER;

    return result < 0 || (number == SYS_seccomp && result > 0 && !(flags & listener));
}

/* Makes those calls of syscall() that install a filter or use prctl(2), and all calls while the next function is
 * unknown. syscall() passes other calls on with a jump. */
long
mp_seccomp_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    bool filter = installs(number, (unsigned long)a, (unsigned long)b, (unsigned long)c);
    bool shut;
    long result;

    if (mp_is_unbound())
        return ((system_call *)(uintptr_t)mp_unbound_next("syscall"))(number, a, b, c, d, e, f);
    shut = filter && mp_session_shut(__builtin_frame_address(0), (const void *)c);
    if (call_forbids_clock(number, (unsigned long)a, (unsigned long)b))
        mp_monitor_no_clock();
    result = mp_next_syscall ? mp_next_syscall(number, a, b, c, d, e, f)
                             : without_libc(number, a, b, c, d, e, f);

    if (filter)
        mp_monitor_shut_done(shut && failed(number, (unsigned long)b, result));
    return result;
}

/* syscall() jumps to the next function, because the child of a clone() may return from it on another stack. On x86_64
 * it is written in assembler, because its last argument is in the caller's frame. A jump in C could write to the place
 * of that argument, although the caller may have passed fewer arguments. On machines other than x86_64 and aarch64, the
 * monitor itself needs libc's syscall(), so syscall() is not hooked there. */
#ifdef __x86_64__
#define TEXT_(number) #number
#define TEXT(number)  TEXT_(number)
__asm__(".text\n\t"
        ".p2align 4\n\t"
        ".globl syscall\n\t"
        ".type syscall, @function\n"
        "syscall:\n\t"
        ".cfi_startproc\n\t"
        "cmpq $" TEXT(SYS_seccomp) ", %rdi\n\t"
        "je 1f\n\t"
        "cmpq $" TEXT(SYS_prctl) ", %rdi\n\t"
        "je 1f\n\t"
        "movq mp_next_syscall(%rip), %rax\n\t"
        "testq %rax, %rax\n\t"
        "je 1f\n\t"
        "jmp *%rax\n"
        "1:\tpushq 8(%rsp)\n\t"
        ".cfi_adjust_cfa_offset 8\n\t"
        "call mp_seccomp_syscall\n\t"
        "addq $8, %rsp\n\t"
        ".cfi_adjust_cfa_offset -8\n\t"
        "ret\n\t"
        ".cfi_endproc\n\t"
        ".size syscall, . - syscall");
#elif defined __aarch64__
MP_PUBLIC system_call syscall;

WITH_JUMPS long
syscall(long number, long a, long b, long c, long d, long e, long f)
{
    if (number == SYS_seccomp || number == SYS_prctl || !mp_next_syscall)
        return mp_seccomp_syscall(number, a, b, c, d, e, f);
    JUMP mp_next_syscall(number, a, b, c, d, e, f);
}
#endif

MP_PUBLIC process_control prctl;

static MP_NOINLINE MP_COLD int
control(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
    return next_prctl ? next_prctl(option, a, b, c, d)
                      : (int)without_libc(SYS_prctl, option, (long)a, (long)b, (long)c, (long)d, 0);
}

WITH_JUMPS int
prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
    MP_PASS_UNBOUND(prctl, option, a, b, c, d);
    if (MP_UNLIKELY(forbids_clock((unsigned long)option, a)))
        mp_monitor_no_clock();
    if (MP_UNLIKELY(option == PR_SET_SECCOMP) && sets_filter(PR_SET_SECCOMP, a, b)) {
        bool shut = mp_session_shut(__builtin_frame_address(0), (const void *)b);
        int result = control(option, a, b, c, d);

        mp_monitor_shut_done(shut && result < 0);
        return result;
    }
    if (MP_UNLIKELY(!next_prctl))
        return control(option, a, b, c, d);
    JUMP next_prctl(option, a, b, c, d);
}
