/* SPDX-License-Identifier: MIT */
#include "faults.h"

#include <stdint.h>
#include <string.h>
#include <ucontext.h>

#include "runtime/compiler.h"
#include "runtime/store/store.h"
#include "runtime/system/sys.h"
#include "runtime/system/thread.h"
#include "runtime/unwind/machine.h"
#include "runtime/unwind/module.h"
#include "runtime/unwind/stack_word.h"

#define N_FAULTS  2u
#define N_ACTIONS 64u           /* number of later actions after which an action's memory is reused */

static const int numbers[N_FAULTS] = { SIGBUS, SIGSEGV };

struct mp_faults_next mp_faults_next;

/* Actions that the program set. An action is written before a pointer to it is stored, and it is not changed while
 * the pointer is in use. */
static MP_LARGE struct sigaction actions[N_ACTIONS];
static uint32_t n_set;
static const struct sigaction *present[N_FAULTS];       /* NULL if the signal is not handled here */

/* `believed` has a bit for each of SIGBUS and SIGSEGV that the program believes to be blocked in this thread.
 * `believed_in_handler` has such bits for the time in which the handler of another signal runs. `companions` are the
 * signals that the kernel blocked when `believed` was stored. siglongjmp(3), setcontext(3) and the return of a handler
 * unblock signals without our knowledge. Therefore `believed` is valid only while all companions are blocked
 * (believed_under()), and a fault of an instruction is delivered even if its signal is believed to be blocked. */
static MP_TLS uint8_t believed;
static MP_TLS uint64_t companions;
static uint8_t believed_in_handler[_NSIG];

/* Returns the index of NUMBER, which is SIGBUS or SIGSEGV. */
static unsigned
index_of(int number)
{
    return number != SIGBUS;
}

static const struct sigaction *
present_action(unsigned i)
{
    return __atomic_load_n(&present[i], __ATOMIC_ACQUIRE);
}

static void
keep(unsigned i, const struct sigaction *action)
{
    struct sigaction *copy = &actions[__atomic_fetch_add(&n_set, 1, __ATOMIC_RELAXED) % N_ACTIONS];

    *copy = *action;
    __atomic_store_n(&present[i], copy, __ATOMIC_RELEASE);
}

/* ------------------------------------------------------------------ masks */

static uint8_t
bits_of(const sigset_t *set)
{
    uint8_t bits = 0;

    for (unsigned i = 0; i < N_FAULTS; i++)
        bits |= (uint8_t)((sigismember(set, numbers[i]) == 1) << i);
    return bits;
}

static void
add_bits(sigset_t *set, uint8_t bits)
{
    for (unsigned i = 0; i < N_FAULTS; i++)
        if (bits & 1u << i)
            sigaddset(set, numbers[i]);
}

static void
remove_both(sigset_t *set)
{
    for (unsigned i = 0; i < N_FAULTS; i++)
        sigdelset(set, numbers[i]);
}

/* Returns the signals of SET except SIGBUS and SIGSEGV, in the kernel's format. */
static uint64_t
others_of(const sigset_t *set)
{
    uint64_t others;

    memcpy(&others, set, sizeof others);
    for (unsigned i = 0; i < N_FAULTS; i++)
        others &= ~((uint64_t)1 << (numbers[i] - 1));
    return others;
}

/* Returns which of SIGBUS and SIGSEGV the program believes to be blocked, if the kernel blocks the signals KERNELS. */
static uint8_t
believed_under(const sigset_t *kernels)
{
    return companions & ~others_of(kernels) ? 0 : believed;
}

/* Stores the signals that the program believes to be blocked from now on. */
static void
believe(uint8_t bits)
{
    sigset_t kernels;

    mp_faults_next.mask(SIG_BLOCK, NULL, &kernels);
    companions = others_of(&kernels);
    believed = bits;
}

/* Returns BITS as sigprocmask(HOW) with the bits ASKED would change them. */
static uint8_t
changed(uint8_t bits, int how, uint8_t asked)
{
    return how == SIG_BLOCK ? bits | asked : how == SIG_UNBLOCK ? bits & (uint8_t)~asked : asked;
}

int
mp_faults_mask(int (*call)(int, const sigset_t *, sigset_t *), int how, const sigset_t *set, sigset_t *old)
{
    const uint8_t saved = believed, asked = set ? bits_of(set) : 0;
    uint8_t before;
    sigset_t fewer, kernels, *was = old ? old : &kernels;
    int result;

    if (MP_LIKELY(!asked && !saved) || MP_UNLIKELY(!mp_faults_handles(SIGSEGV)))
        return call(how, set, old);
    if (set)
        believed &= changed(saved, how, asked);         /* a signal that is being unblocked arrives within the call */
    if (asked && how != SIG_UNBLOCK) {
        fewer = *set;
        remove_both(&fewer);
        result = call(how, &fewer, was);
    } else {
        result = call(how, set, was);
    }
    believed = saved;
    if (result != 0)
        return result;
    before = believed_under(was);
    if (old)
        add_bits(old, before);
    if (set)
        believe(changed(before, how, asked));
    return 0;
}

/* Really blocks or unblocks the signals that the program believes to be blocked. */
static void
change_mask(int how)
{
    sigset_t set;
    uint8_t bits;

    if (!believed || mp_faults_next.mask(SIG_BLOCK, NULL, &set) != 0)
        return;
    bits = believed_under(&set);
    sigemptyset(&set);
    add_bits(&set, bits);
    mp_faults_next.mask(how, &set, NULL);
}

/* ------------------------------------------------------------------ the handler */

/* Returns whether an instruction of this thread caused the signal. */
static bool
is_of_instruction(const siginfo_t *info)
{
    return info->si_code > 0 && !(info->si_signo == SIGBUS && info->si_code == BUS_MCEERR_AO);
}

/* Returns whether CONTEXT interrupted the monitor's code, or libc's code that the monitor has called. If the program's
 * own code faults at the monitor's addresses, the fault is passed to the program, which may want to find out what is
 * mapped. */
static bool
is_of_monitor(const ucontext_t *context)
{
    return mp_thread.busy || mp_thread.held || mp_thread.internal ||
           mp_module_same(mp_machine_interrupted(context), (uintptr_t)&mp_faults_next);
}

static bool
is_repaired(int number, const siginfo_t *info, const void *context)
{
    const uintptr_t address = (uintptr_t)info->si_addr;

    if (number == SIGBUS)
        return info->si_code == BUS_ADRERR && mp_store_repair(address, MP_FAULT_SHORT);
    if (!is_of_monitor(context))
        return false;
    switch (info->si_code) {
    case SEGV_MAPERR: return mp_store_repair(address, MP_FAULT_UNMAPPED);
    case SEGV_ACCERR:
    case SEGV_PKUERR: return mp_store_repair(address, MP_FAULT_DENIED);
    default: return false;
    }
}

/* Sets the default action of signal NUMBER. The kernel takes this action as soon as our handler has returned, because
 * the faulting instruction is executed again, or because this function sends the signal again. */
static MP_NOINLINE void
take_default(int number, siginfo_t *info)
{
    const struct sigaction none = { .sa_handler = SIG_DFL };

    mp_faults_next.sigaction(number, &none, NULL);
    if (!is_of_instruction(info))
        mp_sys_queue_signal(number, info);
}

/* Sends signal NUMBER again and blocks it in the INTERRUPTED code, so that the signal is pending until the thread
 * unblocks it. Also blocks it in this handler, unless the kernel has done that (SA_NODEFER is not set). */
static void
postpone(int number, siginfo_t *info, ucontext_t *interrupted)
{
    sigset_t set;

    if (present_action(index_of(number))->sa_flags & SA_NODEFER) {
        sigemptyset(&set);
        sigaddset(&set, number);
        mp_faults_next.mask(SIG_BLOCK, &set, NULL);
    }
    sigaddset(&interrupted->uc_sigmask, number);
    mp_sys_queue_signal(number, info);
}

/* Resets the action of a handler with SA_RESETHAND, which is called only once. */
static MP_NOINLINE void
reset(unsigned i, const struct sigaction *action)
{
    struct sigaction none = *action;

    none.sa_handler = SIG_DFL;
    keep(i, &none);
}

/* Handles signal NUMBER. Calls the program's handler by a jump, so that the stack has no frame of ours. */
static WITH_JUMPS void
on_fault(int number, siginfo_t *info, void *context)
{
    const unsigned i = index_of(number);
    const struct sigaction *action = present_action(i);
    void (*handler)(int, siginfo_t *, void *) = action->sa_sigaction;
    const bool sent = !is_of_instruction(info);

    if (!sent && (mp_stack_recover(context) || is_repaired(number, info, context)))
        return;
    if (sent && (believed_under(&((ucontext_t *)context)->uc_sigmask) & 1u << i || mp_thread.held)) {
        /* While this thread holds the lock, a handler must not jump out of the code that the lock guards. */
        postpone(number, info, context);
        return;
    }
    if (sent && action->sa_handler == SIG_IGN)
        return;
    if (action->sa_handler == SIG_DFL || action->sa_handler == SIG_IGN) {
        take_default(number, info);
        return;
    }
    if ((unsigned)action->sa_flags & SA_RESETHAND)
        reset(i, action);
    handler(number, info, context);
}

/* ------------------------------------------------------------------ actions */

/* Returns the action that is set in the kernel when the program asks for ACTION. */
static struct sigaction
ours_for(const struct sigaction *action)
{
    struct sigaction ours = *action;

    if (action->sa_handler == SIG_DFL || action->sa_handler == SIG_IGN) {
        sigemptyset(&ours.sa_mask);
        ours.sa_flags = SA_RESTART;     /* an ignored signal interrupts no system call */
    }
    ours.sa_sigaction = on_fault;
    ours.sa_flags |= SA_SIGINFO;
    ours.sa_flags &= ~(int)SA_RESETHAND;
    remove_both(&ours.sa_mask);
    return ours;
}

static bool
is_ours(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == on_fault;
}

bool
mp_faults_handles(int number)
{
    return (number == SIGBUS || number == SIGSEGV) && present_action(index_of(number));
}

void
mp_faults_open(void)
{
    sigset_t blocked;

    for (unsigned i = 0; i < N_FAULTS; i++) {
        struct sigaction kernels, ours;

        if (mp_faults_next.sigaction(numbers[i], NULL, &kernels) != 0 || is_ours(&kernels))
            continue;
        add_bits(&kernels.sa_mask, believed_in_handler[numbers[i]]);
        keep(i, &kernels);
        ours = ours_for(&kernels);
        mp_faults_next.sigaction(numbers[i], &ours, NULL);
    }
    mp_stack_guarded();
    if (mp_faults_next.mask(SIG_BLOCK, NULL, &blocked) == 0 && bits_of(&blocked)) {
        believe(bits_of(&blocked));
        change_mask(SIG_UNBLOCK);
    }
}

int
mp_faults_action(int number, const struct sigaction *new, struct sigaction *old)
{
    const unsigned i = index_of(number);
    struct sigaction before = *present_action(i), kernels, ours;
    int result = mp_faults_next.sigaction(number, NULL, &kernels);

    if (result != 0)
        return result;
    if (!is_ours(&kernels))             /* the program has called the kernel without libc */
        before = kernels;
    if (new) {
        const struct sigaction copy = *new;     /* NEW may be the same memory as OLD */

        ours = ours_for(&copy);
        keep(i, &copy);
        result = mp_faults_next.sigaction(number, &ours, NULL);
    }
    if (old && result == 0)
        *old = before;
    return result;
}

int
mp_faults_other_action(int number, const struct sigaction *new, struct sigaction *old)
{
    const bool known = number > 0 && number < _NSIG;
    const uint8_t before = known ? believed_in_handler[number] : 0, asked = new ? bits_of(&new->sa_mask) : 0;
    struct sigaction fewer;
    int result;

    if (known && asked) {
        fewer = *new;
        remove_both(&fewer.sa_mask);
        result = mp_faults_next.sigaction(number, &fewer, old);
    } else {
        result = mp_faults_next.sigaction(number, new, old);
    }
    if (result != 0)
        return result;
    if (old)
        add_bits(&old->sa_mask, before);
    if (new && known)
        believed_in_handler[number] = asked;
    return 0;
}

/* ------------------------------------------------------------------ exec */

static void
ignore(bool really)
{
    for (unsigned i = 0; i < N_FAULTS; i++) {
        const struct sigaction *action = present_action(i);
        struct sigaction ours;

        if (!action || action->sa_handler != SIG_IGN)
            continue;
        ours = ours_for(action);
        mp_faults_next.sigaction(numbers[i], really ? action : &ours, NULL);
    }
}

void
mp_faults_exec(void)
{
    ignore(true);
    change_mask(SIG_BLOCK);
}

void
mp_faults_exec_failed(void)
{
    change_mask(SIG_UNBLOCK);
    ignore(false);
}
