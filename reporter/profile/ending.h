/* ending.h -- how the profiled process ended, as far as its file, or who waited for it, tells. */
#ifndef MP_ENDING_H
#define MP_ENDING_H

#include "profile.h"

/* "exit status 0", "killed by SIGSEGV (Segmentation fault)", ...: how META's process stands. */
#define MP_ENDING_SIZE 160
const char *mp_ending_text(const struct mp_meta *meta, char out[static MP_ENDING_SIZE]);

/* Was the process running when its data were read, or copied? */
static inline bool
mp_ending_runs(const struct mp_meta *meta)
{
    return meta->ending == MP_END_RUNNING || meta->ending == MP_END_SNAPSHOT;
}

/* Did the recording end before the process, which went on as the same program? */
static inline bool
mp_ending_is_early(const struct mp_meta *meta)
{
    return meta->ending == MP_END_STOPPED || meta->ending == MP_END_FULL;
}

/* Whoever waited for the process has SEEN how it ended (MP_END_EXITED or MP_END_SIGNAL), its status,
 * and the duration.  What the file says of a recording that ended earlier stays. */
void mp_ending_complete(struct mp_meta *meta, const struct mp_meta *seen);

/* The profile is a copy from now on: what is still running is so no more when somebody reads it. */
void mp_ending_copied(struct mp_meta *meta);

#endif
