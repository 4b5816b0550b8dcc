/*
 * sandbox_shut.h -- ends the monitor's system calls (sandbox.h) before the process installs its first seccomp
 * filter, or when it inherits one.
 */
#ifndef MP_SANDBOX_SHUT_H
#define MP_SANDBOX_SHUT_H

#include <stdbool.h>
#include <stdint.h>

/* Makes the process count as sandboxed before it installs a filter: reserves memory for mp_sandbox_memory()
 * and waits until no other thread is inside. Returns false if the process was sandboxed before. Does not call
 * malloc. */
bool mp_sandbox_shut(void);

/* Allows system calls again. Called if mp_sandbox_shut() returned true, but there is no filter. */
void mp_sandbox_open_again(void);

/* Makes the process count as sandboxed again after mp_sandbox_open_again(), with the memory reserved then. No
 * other thread is inside. */
void mp_sandbox_shut_again(void);

/* Called when a filter has been installed, or has not. Other threads may now install theirs. */
void mp_sandbox_settled(void);

/* Makes the process count as sandboxed until its end if it has inherited more than KNOWN filters. KNOWN is the
 * number of mprof run's own filters. Returns whether it has. Called before any other system call. Opens and
 * reads a file, and makes no system call that the loader has not made before. */
bool mp_sandbox_inherited(uint32_t known);

#endif
