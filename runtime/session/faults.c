#include "faults.h"

#include <stdint.h>
#include <ucontext.h>

#include "runtime/compiler.h"
#include "runtime/store/store_state.h"
#include "runtime/system/sys.h"
#include "runtime/system/thread.h"

#define N_FAULTS  2u
#define N_ACTIONS 64u           /* so many later ones are set before the memory of one is used again */

static const int numbers[N_FAULTS] = { SIGBUS, SIGSEGV };

static struct mp_faults_next next;

/* What the program set.  An action is written before it is pointed to, and never changed while it is. */
static struct sigaction actions[N_ACTIONS];
static uint32_t n_set;
static const struct sigaction *present[N_FAULTS];       /* NULL: the signal is not handled here */

/* Of both signals, by their bits: which ones the program believes to be blocked in this thread; and while the
 * handler of each other signal runs.  siglongjmp(3) unblocks signals without our knowledge, so nothing is done to
 * the program because a signal that an instruction caused is believed to be blocked. */
static MP_TLS uint8_t believed;
static uint8_t believed_in_handler[_NSIG];

/* The index of NUMBER, which is SIGBUS or SIGSEGV. */
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

int
mp_faults_mask(int (*call)(int, const sigset_t *, sigset_t *), int how, const sigset_t *set, sigset_t *old)
{
    const uint8_t before = believed, asked = set ? bits_of(set) : 0;
    const uint8_t after = !set ? before : how == SIG_BLOCK ? before | asked
                          : how == SIG_UNBLOCK ? before & (uint8_t)~asked : asked;
    sigset_t fewer;
    int result;

    if (MP_LIKELY(!asked && !before))
        return call(how, set, old);
    believed &= after;                  /* what waits for an unblocked signal comes within the call */
    if (asked && how != SIG_UNBLOCK) {
        fewer = *set;
        remove_both(&fewer);
        result = call(how, &fewer, old);
    } else {
        result = call(how, set, old);
    }
    believed = result == 0 ? after : before;
    if (result == 0 && old)
        add_bits(old, before);
    return result;
}

/* ------------------------------------------------------------------ the handler */

/* Did the kernel send it, because of an instruction of this thread's? */
static bool
is_of_instruction(const siginfo_t *info)
{
    return info->si_code > 0 && !(info->si_signo == SIGBUS && info->si_code == BUS_MCEERR_AO);
}

static bool
is_repaired(int number, const siginfo_t *info)
{
    const struct mp_thread *self = &mp_thread;
    const uintptr_t address = (uintptr_t)info->si_addr;

    if (number == SIGBUS)
        return info->si_code == BUS_ADRERR && mp_store_repair(address, true);
    /* Only what the monitor itself reads in an overwritten file leads it to addresses where nothing is. */
    return info->si_code == SEGV_MAPERR && (self->busy || self->held || self->internal) &&
           mp_store_repair(address, false);
}

/* Has the kernel do with the signal what it does without a handler, as soon as ours has returned: the
 * instruction is executed again, or the signal comes again. */
static MP_NOINLINE void
take_default(int number, siginfo_t *info)
{
    const struct sigaction none = { .sa_handler = SIG_DFL };

    next.sigaction(number, &none, NULL);
    if (!is_of_instruction(info))
        mp_sys_queue_signal(number, info);
}

/* The thread is to go on with the signal blocked, until which it waits. */
static void
postpone(int number, siginfo_t *info, ucontext_t *interrupted)
{
    sigaddset(&interrupted->uc_sigmask, number);
    mp_sys_queue_signal(number, info);
}

/* SA_RESETHAND: the program's handler is called once. */
static MP_NOINLINE void
reset(unsigned i, const struct sigaction *action)
{
    struct sigaction none = *action;

    none.sa_handler = SIG_DFL;
    keep(i, &none);
}

/* The program's handler is called by a jump: on its stack there is no frame of ours. */
static WITH_JUMPS void
on_fault(int number, siginfo_t *info, void *context)
{
    const unsigned i = index_of(number);
    const struct sigaction *action = present_action(i);
    void (*handler)(int, siginfo_t *, void *) = action->sa_sigaction;
    const bool blocked = believed & 1u << i, sent = !is_of_instruction(info);

    if (!sent && is_repaired(number, info))
        return;
    if (sent && (blocked || mp_thread.held)) {  /* no handler is to jump out of what the lock guards */
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

/* What the kernel is told where the program asked for ACTION. */
static struct sigaction
ours_for(const struct sigaction *action)
{
    struct sigaction ours = *action;

    if (action->sa_handler == SIG_DFL || action->sa_handler == SIG_IGN) {
        sigemptyset(&ours.sa_mask);
        ours.sa_flags = SA_RESTART;     /* no system call is interrupted by a signal that is ignored */
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
mp_faults_open(const struct mp_faults_next *found)
{
    next = *found;
    for (unsigned i = 0; i < N_FAULTS; i++) {
        struct sigaction kernels, ours;

        if (next.sigaction(numbers[i], NULL, &kernels) != 0 || is_ours(&kernels))
            continue;
        keep(i, &kernels);
        ours = ours_for(&kernels);
        next.sigaction(numbers[i], &ours, NULL);
    }
}

int
mp_faults_action(int number, const struct sigaction *new, struct sigaction *old)
{
    const unsigned i = index_of(number);
    struct sigaction before = *present_action(i), kernels, ours;
    int result = next.sigaction(number, NULL, &kernels);

    if (result != 0)
        return result;
    if (!is_ours(&kernels))             /* the program has asked the kernel itself, without libc */
        before = kernels;
    if (new) {
        const struct sigaction copy = *new;     /* it may be where OLD is */

        ours = ours_for(&copy);
        keep(i, &copy);
        result = next.sigaction(number, &ours, NULL);
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
        result = next.sigaction(number, &fewer, old);
    } else {
        result = next.sigaction(number, new, old);
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
        next.sigaction(numbers[i], really ? action : &ours, NULL);
    }
}

static void
change_mask(int how)
{
    sigset_t set;

    if (!believed || !next.mask)
        return;
    sigemptyset(&set);
    add_bits(&set, believed);
    next.mask(how, &set, NULL);
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
