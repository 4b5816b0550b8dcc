/* SPDX-License-Identifier: MIT */
/*
 * session_marks.h -- records points in time of the present session (struct mp_live_mark), which are checkpoints,
 * snapshots and collections.
 */
#ifndef MP_SESSION_MARKS_H
#define MP_SESSION_MARKS_H

#include <stdbool.h>
#include <stdint.h>

/* Callers of these functions hold the lock, and the session is active. */

/* Sets a checkpoint called NAME, of which at most MP_MARK_NAME bytes are kept. If there is no space for another
 * checkpoint, counts it as left out and returns false. */
bool mp_session_checkpoint_held(const char *name);

/* Records that a copy of the file was made. */
void mp_session_snapshot_made(void);

struct mp_collected {
    uint64_t began, ended;      /* ns of CLOCK_MONOTONIC */
    uint64_t heap_before, heap_after;   /* bytes of live objects */
    uint64_t heap_size, allocated;      /* as in struct mp_live_mark */
};
void mp_session_collected(const struct mp_collected *what);

#endif
