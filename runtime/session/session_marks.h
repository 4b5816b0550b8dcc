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

/* A collection took from BEGAN to ENDED, ns of CLOCK_MONOTONIC; bytes of objects that lived. */
void mp_session_collected(uint64_t began, uint64_t ended, uint64_t heap_before, uint64_t heap_after);

#endif
