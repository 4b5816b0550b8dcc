/* SPDX-License-Identifier: MIT */
/* ending.h -- how the profiled process ended, according to its file and to the process that waited for it. */
#ifndef MP_ENDING_H
#define MP_ENDING_H

#include "profile.h"

/* Writes the state of META's process to OUT, as "exit status 0" or "killed by SIGSEGV (Segmentation fault)".
 * Returns OUT. */
#define MP_ENDING_SIZE 160
const char *mp_ending_text(const struct mp_meta *meta, char out[static MP_ENDING_SIZE]);

/* Returns whether the process was running when its data were read or copied. */
static inline bool
mp_ending_runs(const struct mp_meta *meta)
{
    return meta->ending == MP_END_RUNNING || meta->ending == MP_END_SNAPSHOT;
}

/* Returns whether recording ended first and the process continued with the same program. */
static inline bool
mp_ending_is_early(const struct mp_meta *meta)
{
    return meta->ending == MP_END_STOPPED || meta->ending == MP_END_FULL;
}

/* Sets the ending (MP_END_EXITED or MP_END_SIGNAL), status and duration of META to those SEEN by the process
 * that waited. If the recording had ended earlier, what the file states is kept. */
void mp_ending_complete(struct mp_meta *meta, const struct mp_meta *seen);

/* Marks the profile as a copy. A running process is recorded as "running when copied", because it may have ended
 * when the copy is read. */
void mp_ending_copied(struct mp_meta *meta);

#endif
