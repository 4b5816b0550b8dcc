/*
 * session_marks.h -- moments of the present session that are written down: struct mp_live_mark.
 */
#ifndef MP_SESSION_MARKS_H
#define MP_SESSION_MARKS_H

/* The program calls this moment NAME, in a function with frame address FRAME.  From a signal handler, too. */
void mp_session_checkpoint(const char *name, const void *frame);

#endif
