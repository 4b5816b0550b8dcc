/*
 * session_sandbox.h -- supports the child of a vfork that installs a seccomp filter (sandbox.h).
 */
#ifndef MP_SESSION_SANDBOX_H
#define MP_SESSION_SANDBOX_H

#include <stdbool.h>

/* Allows system calls again, because the child of a vfork that has installed a filter leaves its parent's memory.
 * AGAIN means that the child did not leave after all, because its exec failed. Then system calls are stopped again. */
void mp_session_shut_lent(bool again);

#endif
