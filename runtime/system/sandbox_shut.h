/* SPDX-License-Identifier: MIT */
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

/* Allows system calls again. Called if mp_sandbox_shut() returned true, but no filter was installed. */
void mp_sandbox_open_again(void);

/* Makes the process count as sandboxed again after mp_sandbox_open_again(). Uses the memory that was reserved
 * before. Called while no other thread is inside. */
void mp_sandbox_shut_again(void);

/* Called after each mp_sandbox_shut(), when the filter has been installed or refused. Other threads may install their
 * filters from then on. */
void mp_sandbox_settled(void);

/* Makes the process count as sandboxed until its end if it has inherited more than KNOWN filters, and returns
 * whether it has. KNOWN is the number of filters that mprof run itself had, or UINT32_MAX if that is unknown.
 * Called before any other system call. Opens and reads a file, which the loader has done before. */
bool mp_sandbox_inherited(uint32_t known);

#endif
