/*
 * session_sandbox.h -- the session of a process that installs a seccomp filter; see sandbox.h.
 */
#ifndef MP_SESSION_SANDBOX_H
#define MP_SESSION_SANDBOX_H

#include <stdbool.h>

/* Handles the child of a vfork that has installed a filter and leaves its parent's memory, so that the parent may
 * make system calls again. AGAIN means that the child did not leave after all, because its exec failed; system
 * calls are then stopped again. */
void mp_session_shut_lent(bool again);

#endif
