/* SPDX-License-Identifier: MIT */
/*
 * faults.h -- handles SIGBUS and SIGSEGV at addresses of the monitor's memory, which would otherwise end the program.
 *
 * Everybody who may write the live file may truncate or overwrite it while it is mapped. The kernel then removes
 * pages that the monitor is about to touch. Only a file without a name (memfd) can be protected against truncation,
 * but it is lost with the process. The live file must survive kill -9, so it has a name. The program itself may unmap
 * or protect all mappings that it finds in /proc/self/maps. Therefore the monitor handles both signals. If the address
 * of the fault is the monitor's, the handler maps an empty page there or allows access again, and ends the recording;
 * then the instruction is executed again (mp_store_repair()). All other faults belong to the program. The program's
 * handler is called by a jump, on the same stack and with the same mask, or the default action is taken.
 *
 * The kernel ends a process if an instruction faults in a thread that blocks the signal of the fault. Therefore SIGBUS
 * and SIGSEGV are never really blocked. mp_faults_mask() only makes the program believe that they are. This belief ends
 * if siglongjmp(3), setcontext(3) or the return of a handler unblocks another signal that was blocked together with
 * SIGBUS or SIGSEGV. If no other signal was blocked with them, the program still sees them as blocked after such a
 * jump, and a program that it executes inherits them as blocked. A new thread and the program of popen(3) do not
 * inherit the belief. The child of a vfork shares its parent's belief.
 *
 * The kernel knows only our handler. faults.c stores the actions that the program sets, and returns them to the program
 * when it asks for them. Programs that make these system calls without libc, as Go does, replace our handler.
 */
#ifndef MP_FAULTS_H
#define MP_FAULTS_H

#include <signal.h>
#include <stdbool.h>

#include "runtime/compiler.h"

/* The functions to which mp_faults_action() and so on pass calls on. They are libc's, or wrappers of libc's. The hooks
 * (c-bridge/signals.c) store them before the first call of a function below. A constructor that runs before ours may
 * make that call. */
struct mp_faults_next {
    int (*sigaction)(int, const struct sigaction *, struct sigaction *);
    int (*mask)(int, const sigset_t *, sigset_t *);     /* pthread_sigmask() */
};
extern MP_HIDDEN struct mp_faults_next mp_faults_next;

/* Installs our handler for SIGBUS and SIGSEGV unless it is installed already, and unblocks both signals. The actions
 * and the mask that the program has set before, or inherited, become those that it sees. Called while recording is
 * paused. */
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

/* mp_faults_exec() really blocks or ignores SIGBUS and SIGSEGV if the program has asked for that, because a program
 * that is executed or started inherits it. Called before the thread executes or starts a program.
 * mp_faults_exec_failed() undoes mp_faults_exec(). */
void mp_faults_exec(void);
void mp_faults_exec_failed(void);

#endif
