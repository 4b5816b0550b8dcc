/* SPDX-License-Identifier: MIT */
/*
 * observed.h -- data that an observing process collected while the live file was written.
 *
 * Changes contain context ids of the live file, so they can only be interpreted together with that file.
 */
#ifndef MP_OBSERVED_H
#define MP_OBSERVED_H

#include "reporter/base/buffer.h"
#include "reporter/profile/resident.h"
#include "reporter/profile/timeline.h"

/* One poll, which read the counters of all cells one after the other from BEGIN to END. */
struct mp_observed_moment {
    uint64_t begin, end;        /* ns since recording began */
    size_t offset;              /* place in `kept` of the changes since the previous poll */
    uint32_t n_changes;         /* number of these changes */
};

struct mp_observed {
    uint64_t start;             /* start_monotonic of the recording's header, in ns */
    uint64_t interval, apart;   /* ns between the latest points; minimum ns between the latest polls of all counters */
    struct mp_point *points;    uint32_t n_points, room_points;
    struct mp_observed_moment *moments; uint32_t n_moments;
    struct mp_buffer kept;      /* changes of all polls in order, encoded: some 8 bytes each instead of 56 */
    uint32_t n_changes;         /* number of changes in `kept` */
    struct mp_change *next;     uint32_t n_next, room_next;     /* changes of a poll that is not in `moments` yet */
    uint64_t highest, highest_time;     /* maximum live bytes seen by a poll, and the time of the first such poll in
                                           ns */
    uint64_t looked;            /* time of the last poll, in ns */
    uint64_t peak, peak_after, peak_before;     /* last peak in bytes that the file reported, and the times of the
                                                   polls before and after it in ns */
    uint64_t private;           /* maximum of the private resident bytes that a poll found; 0 if unknown */
    struct mp_resident account;  /* account of the largest resident memory; its `resident` is 0 if none was
                                    taken */
    struct mp_resident checkpoints;     /* the list of accounts that were taken after checkpoints begins with `next` */
    struct mp_resident *last_checkpoint;        /* end of the list, or NULL */
    uint32_t n_checkpoints;     /* number of accounts in the list */
    bool too_wide;              /* a single poll had more changes than a time line can contain; there are no moments */
};

/* Appends the N CHANGES, sorted by context, to `kept`. Their temporary blocks are unknown, and so are not stored. */
void mp_observed_keep(struct mp_observed *observed, const struct mp_change *changes, uint32_t n);

/* Writes the changes of poll MOMENT to CHANGES. */
void mp_observed_changes(const struct mp_observed *observed, uint32_t moment, struct mp_change *changes);

#endif
