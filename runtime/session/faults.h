/* SPDX-License-Identifier: MIT */
/*
 * faults.h -- handles SIGBUS and SIGSEGV at addresses of the monitor's memory, which would otherwise end the program.
 *
 * Everybody who may write the live file may truncate or overwrite it while it is mapped. The kernel then removes
 * pages that the monitor is about to touch. A file can be protected against that only if it has no name (memfd),
 * but then it is lost with the process. A file that survives kill -9 must have a name. The program itself may unmap or
 * protect all mappings that it finds in /proc/self/maps. Therefore the monitor handles both signals. If the address is
 * its own, it maps an empty page there or allows access again, and ends the recording, and the instruction is executed
 * again (mp_store_repair()). All other faults belong to the program. They reach the program's
 * handler by a jump, on the same stack and with the same mask, or lead to the default action.
 *
 * The kernel ends a process if a thread with a blocked SIGBUS or SIGSEGV meets such a fault. Therefore neither
 * signal is ever really blocked. The program only believes that it is (mp_faults_mask()). If siglongjmp(3),
 * setcontext(3) or the return of a handler unblocks another signal that was blocked together with it, the belief ends.
 * If there was no other signal, the program still sees its signal as blocked, and a program that it executes inherits
 * that. A new thread and the program of popen(3) do not inherit the belief. The child of a vfork shares its parent's.
 *
 * The kernel knows only our handler. This file keeps the program's actions and returns them when it asks. Programs
 * that make these system calls without libc, as Go does, replace our handler.
 */
#ifndef MP_FAULTS_H
#define MP_FAULTS_H

#include <signal.h>
#include <stdbool.h>

#include "runtime/compiler.h"

/* The functions to which the functions below pass calls on. They are libc's, or wrappers of libc's. The caller stores
 * them before its first call of a function below, which may come from a constructor that runs before ours. */
struct mp_faults_next {
    int (*sigaction)(int, const struct sigaction *, struct sigaction *);
    int (*mask)(int, const sigset_t *, sigset_t *);     /* pthread_sigmask() */
};
extern MP_HIDDEN struct mp_faults_next mp_faults_next;

/* Installs our handler for both signals unless it is installed already, and unblocks them. What the program has set
 * before, or inherited, becomes what it believes. Called while recording is paused. */
void mp_faults_open(void);

/* Returns whether NUMBER is SIGBUS or SIGSEGV and is handled here. */
bool mp_faults_handles(int number);

/* Does what sigaction(2) does, for SIGBUS or SIGSEGV. Called in place of the program's call. */
int mp_faults_action(int number, const struct sigaction *new, struct sigaction *old);

/* Does what sigaction(2) does, for another signal NUMBER. Keeps SIGBUS and SIGSEGV unblocked while its handler
 * runs, but reports in *OLD the mask that the program asked for. */
int mp_faults_other_action(int number, const struct sigaction *new, struct sigaction *old);

/* Does what pthread_sigmask(3) does, or sigprocmask(2) if CALL is that. Keeps SIGBUS and SIGSEGV unblocked, but
 * reports in *OLD the mask that the program asked for. */
int mp_faults_mask(int (*call)(int, const sigset_t *, sigset_t *), int how, const sigset_t *set, sigset_t *old);

/* mp_faults_exec() blocks and ignores SIGBUS and SIGSEGV as the program asked, because the next program inherits
 * that. Called before the thread executes or starts it. mp_faults_exec_failed() undoes this. */
void mp_faults_exec(void);
void mp_faults_exec_failed(void);

#endif
