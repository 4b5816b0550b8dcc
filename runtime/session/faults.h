/*
 * faults.h -- SIGBUS and SIGSEGV at addresses of the live file, which would end the program.
 *
 * Whoever may write the live file may truncate it, or write over it, while it is mapped.  The kernel then takes
 * pages away that the monitor is about to touch.  A file that survives kill -9 has a name, and one that has a
 * name can be truncated: only memory without a name (memfd) can be sealed against that, and it would be gone
 * with the process.  So the monitor handles both signals.  Where the address is its own it maps an empty page
 * there, ends the recording, and the instruction is executed again (store_state.h).  All other faults are the
 * program's, and take the way that they would take without the monitor: to the program's handler, by a jump, on
 * the same stack and with the same mask, or to the default action.
 *
 * The kernel ends a process whose thread has such a signal blocked when it meets a fault.  So neither of the two
 * is ever blocked while the program only believes that it is (mp_faults_mask()).
 *
 * The kernel has our handler.  What the program set, and what it gets when it asks, is kept here.  Programs that
 * make these system calls without libc (Go does) have the signals for themselves.
 */
#ifndef MP_FAULTS_H
#define MP_FAULTS_H

#include <signal.h>
#include <stdbool.h>

/* libc's functions, or those of whoever else wraps them, to be called by the functions below. */
struct mp_faults_next {
    int (*sigaction)(int, const struct sigaction *, struct sigaction *);
    int (*mask)(int, const sigset_t *, sigset_t *);     /* pthread_sigmask() */
};

/* Has the kernel call our handler for both signals, unless it does already.  Called while recording is paused. */
void mp_faults_open(const struct mp_faults_next *next);

/* Is NUMBER one of the two, and handled here? */
bool mp_faults_handles(int number);

/* sigaction(2) for one of the two, as the program calls it. */
int mp_faults_action(int number, const struct sigaction *new, struct sigaction *old);

/* sigaction(2) for another signal NUMBER, as the program calls it: neither of the two is blocked while its
 * handler runs, though *OLD says what the program asked for. */
int mp_faults_other_action(int number, const struct sigaction *new, struct sigaction *old);

/* pthread_sigmask(3), or sigprocmask(2) if that is what CALL is, as the program calls it. */
int mp_faults_mask(int (*call)(int, const sigset_t *, sigset_t *), int how, const sigset_t *set, sigset_t *old);

/* The thread is about to become another program, which inherits blocked and ignored signals: what the program
 * asked for becomes true.  And: it failed. */
void mp_faults_exec(void);
void mp_faults_exec_failed(void);

#endif
