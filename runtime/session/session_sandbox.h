/*
 * session_sandbox.h -- the session of a process that shuts itself off: see sandbox.h.
 */
#ifndef MP_SESSION_SANDBOX_H
#define MP_SESSION_SANDBOX_H

#include <stdbool.h>

/* The child of a vfork that is shut off leaves its parent's memory; or does not, and has it AGAIN. */
void mp_session_shut_lent(bool again);

#endif
