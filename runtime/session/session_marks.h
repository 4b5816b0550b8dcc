/*
 * session_marks.h -- moments of the present session that are written down: struct mp_live_mark.
 */
#ifndef MP_SESSION_MARKS_H
#define MP_SESSION_MARKS_H

#include <stdbool.h>
#include <stdint.h>

/* These are for who holds the lock, while the session is active. */

/* This moment is called NAME, of which the first 256 bytes are read.  False: no room for another one, which
 * is counted. */
bool mp_session_checkpoint_held(const char *name);

/* A copy of the file was made. */
void mp_session_snapshot_made(void);

struct mp_collected {
    uint64_t began, ended;      /* ns of CLOCK_MONOTONIC */
    uint64_t heap_before, heap_after;   /* bytes of objects that lived */
    uint64_t heap_size, allocated;      /* as in struct mp_live_mark */
};
void mp_session_collected(const struct mp_collected *what);

#endif
