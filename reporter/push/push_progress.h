/*
 * push_progress.h -- how much of a process's recording was sent, stored in the queue's folder. An mprof that is killed
 * and started again continues there. Nothing is sent twice or omitted.
 *
 * A part of a recording is sent in three steps. First a hidden file with the profile is written. Then the sample at
 * its end is stored together with the name of that file. Then the file is shown. When a stored sample is found later,
 * its file is shown, which has no effect if it was shown before. run/since.h explains samples.
 */
#ifndef MP_PUSH_PROGRESS_H
#define MP_PUSH_PROGRESS_H

#include "queue.h"
#include "reporter/profile/profile.h"
#include "reporter/run/process.h"
#include "reporter/run/since.h"

/* Makes the profile of the part between the samples FROM and TO of the recording in the live file PATH. TO is NULL
 * for its end. Bytes and allocations are those between the samples, and kept memory is what was live at TO. Finds the
 * names; EXECUTABLE is as in mp_load(). Stores the profile of the whole recording in *WHOLE. The caller frees both,
 * the part first. On failure returns NULL, fills *ERROR, and there is nothing to free. */
struct mp_profile *mp_since_profile(const struct mp_since *from, const struct mp_since *to, const char *path,
                                    const char *executable, struct mp_profile **whole, struct mp_error *error);

struct mp_progress {
    char name[96];              /* name of the file, made from the identity of the recording */
    int lock;
    struct mp_since since;      /* last sample */
};

/* Locks and reads the progress of PROCESS's recording in QUEUE. If the last profile of the recording was not shown
 * yet, shows it. Returns false and fills *ERROR if another process is sending this recording to the same receiver. */
bool mp_progress_open(struct mp_progress *progress, struct mp_queue *queue, const struct mp_process *process,
                      struct mp_error *error);

/* Stores LOOK, the sample at the end of the profile that was written as NAME, and shows the profile. PROGRESS owns
 * LOOK from now on. On failure returns false and fills *ERROR; then the sample is freed and the profile removed, and
 * the next part begins where this one would have. */
bool mp_progress_put(struct mp_progress *progress, struct mp_queue *queue, struct mp_since *look, const char *name,
                     struct mp_error *error);

/* Releases the lock and frees PROGRESS. If ALL, nothing will follow, and its files are removed. */
void mp_progress_close(struct mp_progress *progress, struct mp_queue *queue, bool all);

/* Shows the profiles that were written by killed processes but not shown. Removes the progress of processes that have
 * ended. */
void mp_progress_recover(struct mp_queue *queue);

#endif
