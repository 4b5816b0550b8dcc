/*
 * sandbox_shut.h -- when a process is shut off (sandbox.h): before it installs its first filter, or when it
 * inherits one.
 */
#ifndef MP_SANDBOX_SHUT_H
#define MP_SANDBOX_SHUT_H

#include <stdbool.h>
#include <stdint.h>

/* Shut the process off: a filter is about to be installed.  Memory is reserved for mp_sandbox_memory();
 * returns when no other thread is inside.  False: it was shut already.  Waits, and does not call malloc. */
bool mp_sandbox_shut(void);

/* There is no filter after all, and mp_sandbox_shut() had returned true. */
void mp_sandbox_open_again(void);

/* After mp_sandbox_open_again(): the process is shut off as before, with the memory that was reserved then.
 * No other thread is inside. */
void mp_sandbox_shut_again(void);

/* A filter is or is not there now; other threads may install theirs. */
void mp_sandbox_settled(void);

/* Before anything else is asked of the kernel: has the process inherited more filters than KNOWN,
 * those that mprof run itself lives with?  Then it is shut off until it ends.  The system calls made here the
 * loader has made before: a file is opened and read. */
bool mp_sandbox_inherited(uint32_t known);

#endif
