/* SPDX-License-Identifier: MIT */
/*
 * session_control.h -- serves the requests that arrive through the header (control.h).
 */
#ifndef MP_SESSION_CONTROL_H
#define MP_SESSION_CONTROL_H

/* Serves the request of another process, if there is one, and writes the answer into the header. */
void mp_session_serve(void);

#endif
