/*
 * signals.c -- hooks of the functions by which the program sets the actions and masks of SIGBUS and SIGSEGV. The
 * monitor handles these signals first (runtime/session/faults.h), but the program sees what it would see without
 * us.
 */
#include <signal.h>
#include <string.h>

#include "malloc_hooks.h"
#include "next.h"
#include "runtime/compiler.h"
#include "runtime/monitor.h"
#include "runtime/session/faults.h"
#include "unbound.h"

static int (*next_process_mask)(int, const sigset_t *, sigset_t *);
static __sighandler_t (*next_signal)(int, __sighandler_t);

/* Finds the next functions. Called by the first hook if that comes before our constructor, for example if another
 * library's constructor handles signals. */
static void
find_next(void)
{
    MP_NEXT_FUNCTION(mp_faults_next.sigaction, "sigaction");
    MP_NEXT_FUNCTION(mp_faults_next.mask, "pthread_sigmask");
    MP_NEXT_FUNCTION(next_process_mask, "sigprocmask");
    MP_NEXT_FUNCTION(next_signal, "signal");
}

void
mp_signals_open(void)
{
    find_next();
    mp_faults_open();
}

/* ------------------------------------------------------------------ actions */

MP_PUBLIC int
sigaction(int number, const struct sigaction *new, struct sigaction *old)
{
    MP_PASS_UNBOUND(sigaction, number, new, old);
    if (MP_UNLIKELY(!mp_faults_next.sigaction))
        find_next();
    return mp_faults_handles(number) ? mp_faults_action(number, new, old)
                                     : mp_faults_other_action(number, new, old);
}

MP_PUBLIC __sighandler_t
signal(int number, __sighandler_t handler)
{
    struct sigaction new = { .sa_handler = handler, .sa_flags = SA_RESTART }, old;

    MP_PASS_UNBOUND(signal, number, handler);
    if (MP_UNLIKELY(!next_signal))
        find_next();
    if (!mp_faults_handles(number) || handler == SIG_ERR)
        return next_signal(number, handler);
    sigaddset(&new.sa_mask, number);
    return mp_faults_action(number, &new, &old) == 0 ? old.sa_handler : SIG_ERR;
}

/* ------------------------------------------------------------------ masks */

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
    if (MP_UNLIKELY(!next_process_mask))
        find_next();
    return mp_faults_mask(next_process_mask, how, set, old);
}
