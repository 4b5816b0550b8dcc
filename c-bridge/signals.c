/* SPDX-License-Identifier: MIT */
/*
 * signals.c -- hooks of all functions by which the program sets the actions and masks of SIGBUS and SIGSEGV. libc's
 * older functions do not call sigaction() or sigprocmask() in a way that can be hooked. The monitor handles these
 * signals first (runtime/session/faults.h), but the program sees what it would see without us.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

#include "malloc_hooks.h"
#include "next.h"
#include "runtime/compiler.h"
#include "runtime/monitor.h"
#include "runtime/session/faults.h"
#include "unbound.h"

static int (*next_process_mask)(int, const sigset_t *, sigset_t *);

/* Older functions, which headers call deprecated. They are weak, because a program that is linked with libmprof.a may
 * have functions of the same names. */
#define OLDER          MP_PUBLIC __attribute__((weak))
#define SAME_AS(name)  __THROW OLDER __attribute__((alias(#name)))
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* Signals whose handlers, set by signal(3), interrupt system calls (siginterrupt(3)). */
static sigset_t interrupting;

/* Finds the next functions. Called by the first hook if that comes before our constructor, for example if another
 * library's constructor handles signals. */
static void
find_next(void)
{
    MP_NEXT_FUNCTION(mp_faults_next.sigaction, "sigaction");
    MP_NEXT_FUNCTION(mp_faults_next.mask, "pthread_sigmask");
    MP_NEXT_FUNCTION(next_process_mask, "sigprocmask");
}

void
mp_signals_open(void)
{
    find_next();
    mp_faults_open();
}

/* ------------------------------------------------------------------ actions */

static int
set_action(int number, const struct sigaction *new, struct sigaction *old)
{
    if (MP_UNLIKELY(!mp_faults_next.sigaction))
        find_next();
    return mp_faults_handles(number) ? mp_faults_action(number, new, old)
                                     : mp_faults_other_action(number, new, old);
}

/* Sets a handler as functions that are older than sigaction(2) do. If MASKED is set, the signal is blocked while its
 * handler runs. Returns the previous handler or SIG_ERR. */
static __sighandler_t
set_handler(int number, __sighandler_t handler, int flags, bool masked)
{
    struct sigaction new = { .sa_handler = handler, .sa_flags = flags }, old;

    if (handler == SIG_ERR || number < 1 || number >= _NSIG) {
        errno = EINVAL;
        return SIG_ERR;
    }
    if (masked)
        sigaddset(&new.sa_mask, number);
    return set_action(number, &new, &old) == 0 ? old.sa_handler : SIG_ERR;
}

MP_PUBLIC int
sigaction(int number, const struct sigaction *new, struct sigaction *old)
{
    MP_PASS_UNBOUND(sigaction, number, new, old);
    return set_action(number, new, old);
}

MP_PUBLIC __sighandler_t
signal(int number, __sighandler_t handler)
{
    MP_PASS_UNBOUND(signal, number, handler);
    return set_handler(number, handler, sigismember(&interrupting, number) == 1 ? 0 : SA_RESTART, true);
}

__sighandler_t bsd_signal(int, __sighandler_t) SAME_AS(signal);
__sighandler_t ssignal(int, __sighandler_t) SAME_AS(signal);

OLDER __sighandler_t
sysv_signal(int number, __sighandler_t handler)
{
    MP_PASS_UNBOUND(sysv_signal, number, handler);
    return set_handler(number, handler, (int)SA_RESETHAND | SA_NODEFER, false);
}

__sighandler_t __sysv_signal(int, __sighandler_t) SAME_AS(sysv_signal);

OLDER int
sigignore(int number)
{
    MP_PASS_UNBOUND(sigignore, number);
    return set_handler(number, SIG_IGN, 0, false) == SIG_ERR ? -1 : 0;
}

OLDER int
siginterrupt(int number, int interrupts)
{
    struct sigaction action;

    MP_PASS_UNBOUND(siginterrupt, number, interrupts);
    if (set_action(number, NULL, &action) != 0)
        return -1;
    if (interrupts) {
        sigaddset(&interrupting, number);
        action.sa_flags &= ~SA_RESTART;
    } else {
        sigdelset(&interrupting, number);
        action.sa_flags |= SA_RESTART;
    }
    return set_action(number, &action, NULL);
}

/* ------------------------------------------------------------------ masks */

static int
change(int how, const sigset_t *set, sigset_t *old)
{
    if (MP_UNLIKELY(!next_process_mask))
        find_next();
    return mp_faults_mask(next_process_mask, how, set, old);
}

/* Blocks or unblocks one signal. Returns -1 or whether it was blocked before. */
static int
change_one(int how, int number)
{
    sigset_t set, old;

    sigemptyset(&set);
    if (sigaddset(&set, number) != 0 || change(how, &set, &old) != 0)
        return -1;
    return sigismember(&old, number);
}

/* Changes the mask as BSD did, where signal N is the bit N - 1 of an int. Returns -1 or the previous mask. */
static int
change_bits(int how, int bits)
{
    sigset_t set, old;
    int before = 0;

    sigemptyset(&set);
    for (int number = 1; number < 32; number++)
        if (bits & 1 << (number - 1))
            sigaddset(&set, number);
    if (change(how, &set, &old) != 0)
        return -1;
    for (int number = 1; number < 32; number++)
        if (sigismember(&old, number) == 1)
            before |= 1 << (number - 1);
    return before;
}

MP_PUBLIC int
pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    MP_PASS_UNBOUND(pthread_sigmask, how, set, old);
    if (MP_UNLIKELY(!mp_faults_next.mask))
        find_next();
    return mp_faults_mask(mp_faults_next.mask, how, set, old);
}

MP_PUBLIC int
sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    MP_PASS_UNBOUND(sigprocmask, how, set, old);
    return change(how, set, old);
}

OLDER int
sigsetmask(int bits)
{
    MP_PASS_UNBOUND(sigsetmask, bits);
    return change_bits(SIG_SETMASK, bits);
}

OLDER int
sigblock(int bits)
{
    MP_PASS_UNBOUND(sigblock, bits);
    return change_bits(SIG_BLOCK, bits);
}

OLDER int
siggetmask(void)
{
    MP_PASS_UNBOUND(sigblock, 0);
    return change_bits(SIG_BLOCK, 0);
}

OLDER int
sighold(int number)
{
    MP_PASS_UNBOUND(sighold, number);
    return change_one(SIG_BLOCK, number) < 0 ? -1 : 0;
}

OLDER int
sigrelse(int number)
{
    MP_PASS_UNBOUND(sigrelse, number);
    return change_one(SIG_UNBLOCK, number) < 0 ? -1 : 0;
}

OLDER __sighandler_t
sigset(int number, __sighandler_t handler)
{
    const struct sigaction new = { .sa_handler = handler };
    const bool holds = handler == SIG_HOLD;
    struct sigaction old;
    int blocked;

    MP_PASS_UNBOUND(sigset, number, handler);
    if (set_action(number, holds ? NULL : &new, &old) != 0)
        return SIG_ERR;
    blocked = change_one(holds ? SIG_BLOCK : SIG_UNBLOCK, number);
    return blocked < 0 ? SIG_ERR : blocked ? SIG_HOLD : old.sa_handler;
}
