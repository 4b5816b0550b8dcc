/* SPDX-License-Identifier: MIT */
/*
 * since.h -- what a process has allocated since a sample of its counters.
 *
 * A sample reads the counters of all cells, as an observer does. The process receives no request.
 */
#ifndef MP_RUN_SINCE_H
#define MP_RUN_SINCE_H

#include "reporter/base/error.h"
#include "reporter/profile/profile.h"
#include "reporter/profile/timeline.h"

/* The counters at a sample. If all members are 0, it is the start of the recording. */
struct mp_since {
    uint64_t begin, end;        /* interval of the sample, ns since recording began */
    struct mp_change *counted;  uint32_t n, room;       /* counters, sorted by unique (context, kind); contexts are
                                                           ids of the live file */
};

void mp_since_free(struct mp_since *since);

/* Samples the live file FD. Returns false and fills *ERROR if it can no longer be read; then SINCE need not be
 * freed. */
bool mp_since_look(struct mp_since *since, int fd, struct mp_error *error);

/* Reads the live file PATH, with the sample SINCE in its time line. Returns NULL and fills *ERROR if the file cannot be
 * read or is not that of the sample. */
struct mp_profile *mp_since_read(const struct mp_since *since, const char *path, struct mp_error *error);

/* Returns the point in time just after SINCE in the syntax of mp_window(), allocated in ARENA. */
const char *mp_since_moment(const struct mp_since *since, struct mp_arena *arena);

#endif
