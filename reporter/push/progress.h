/*
 * progress.h -- how far the recording of a process was sent, kept in the queue's folder: who is killed and started
 * again goes on where it was, and nothing is sent twice or left out.
 *
 * A part of a recording is sent so: its file is written, hidden; then the look that it ends with is written down,
 * with the file's name; then the file is shown.  Whoever finds a look shows the file that is named there, which does
 * nothing if it was shown before.
 */
#ifndef MP_PUSH_PROGRESS_H
#define MP_PUSH_PROGRESS_H

#include "queue.h"
#include "reporter/run/process.h"
#include "since.h"

struct mp_progress {
    char name[96];              /* of the file; of the recording, really */
    int lock;
    struct mp_since since;      /* the last look */
};

/* Of the recording of PROCESS, to QUEUE.  False and *ERROR: another process sends it there. */
bool mp_progress_open(struct mp_progress *progress, struct mp_queue *queue, const struct mp_process *process,
                      struct mp_error *error);

/* LOOK, which PROGRESS owns from now on, ends what was written as NAME: show it.  False and *ERROR: it is as if there
 * had been no such look. */
bool mp_progress_put(struct mp_progress *progress, struct mp_queue *queue, struct mp_since *look, const char *name,
                     struct mp_error *error);

/* ALL: nothing will come after the last look, which need not be known any more. */
void mp_progress_close(struct mp_progress *progress, struct mp_queue *queue, bool all);

/* Show what others, who were killed, did not come to show, and forget the looks at processes that have ended. */
void mp_progress_recover(struct mp_queue *queue);

#endif
