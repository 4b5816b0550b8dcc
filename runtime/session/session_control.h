/*
 * session_control.h -- what was asked for through the header (control.h) is done.
 */
#ifndef MP_SESSION_CONTROL_H
#define MP_SESSION_CONTROL_H

/* Stop or start as another process asks, and say so in the header. */
void mp_session_serve(void);

#endif
