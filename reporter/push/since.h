/*
 * since.h -- what a process allocated between two samples of its counters, and what was live at the second.
 *
 * Each sample reads the counters of all cells, as an observer does. It is the end of one part of the recording and
 * the beginning of the next, so the parts together are the whole recording.
 */
#ifndef MP_PUSH_SINCE_H
#define MP_PUSH_SINCE_H

#include "reporter/profile/profile.h"
#include "reporter/profile/timeline.h"

/* The counters at a sample. All 0 is the start of the recording. */
struct mp_since {
    uint64_t begin, end;        /* interval of the sample, ns since recording began */
    struct mp_change *counted;  uint32_t n, room;       /* counters, sorted by unique (context, kind); contexts are
                                                           ids of the live file */
};

void mp_since_free(struct mp_since *since);

/* Samples the live file FD. Returns false and fills *ERROR if it can no longer be read; then SINCE need not be
 * freed. */
bool mp_since_look(struct mp_since *since, int fd, struct mp_error *error);

/* Makes the profile of the part between the samples FROM and TO of the recording in the live file PATH. TO is NULL
 * for its end. Bytes and allocations are those between the samples, and kept memory is what was live at TO. Finds the
 * names; EXECUTABLE is as in mp_load(). Stores the profile of the whole recording in *WHOLE. The caller frees both,
 * the part first. On failure returns NULL, fills *ERROR, and there is nothing to free. */
struct mp_profile *mp_since_profile(const struct mp_since *from, const struct mp_since *to, const char *path,
                                    const char *executable, struct mp_profile **whole, struct mp_error *error);

#endif
