/*
 * session_marks.h -- moments of the present session that are written down: struct mp_live_mark.
 */
#ifndef MP_SESSION_MARKS_H
#define MP_SESSION_MARKS_H

#include <stdint.h>

/* The program calls this moment NAME, in a function with frame address FRAME.  From a signal handler, too. */
void mp_session_checkpoint(const char *name, const void *frame);

/* The following are for who holds the lock, while the session is active. */

/* A copy of the file was made. */
void mp_session_snapshot_made(void);

struct mp_collected {
    uint64_t began, ended;      /* ns of CLOCK_MONOTONIC */
    uint64_t heap_before, heap_after;   /* bytes of objects that lived */
    uint64_t heap_size, allocated;      /* as in struct mp_live_mark */
};
void mp_session_collected(const struct mp_collected *what);

#endif
