/*
 * observed.h -- what a second process saw of a recording, while the file of it was written.
 *
 * Changes refer to the live file's ids of contexts: only who reads the live file can tell what these are.
 */
#ifndef MP_OBSERVED_H
#define MP_OBSERVED_H

#include "reporter/profile/timeline.h"

/* Counters of all cells were read one after the other, from BEGIN to END. */
struct mp_observed_moment {
    uint64_t begin, end;        /* ns since recording began */
    uint32_t n_changes;         /* since the moment before; all stand in their order in `changes` */
};

struct mp_observed {
    uint64_t start;             /* of the recording: start_monotonic of its header */
    uint64_t interval;          /* ns between points at last */
    struct mp_point *points;    uint32_t n_points, room_points;
    struct mp_observed_moment *moments; uint32_t n_moments;
    struct mp_change *changes;  uint32_t n_changes, room_changes;
    uint64_t highest, highest_time;     /* bytes that lived at a look, and at which first */
    uint64_t looked;            /* when the last look was */
    uint64_t peak, peak_after, peak_before;     /* that the file told last, and the looks it came between */
    bool too_wide;              /* more changed at once than any time line holds: there are no moments */
};

#endif
