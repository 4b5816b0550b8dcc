/* SPDX-License-Identifier: MIT */
/*
 * heaptrack_events.h -- sums up the allocations and frees of a heaptrack file, which has one line for each event. Each
 * event refers to an information record of the file, which consists of a size and a chain.
 */
#ifndef MP_IMPORT_HEAPTRACK_EVENTS_H
#define MP_IMPORT_HEAPTRACK_EVENTS_H

#include "reporter/profile/profile.h"

/* Blocks of one size, allocated by one chain. Several information records may refer to the same cell. */
struct mp_heaptrack_cell {
    uint64_t size;
    uint32_t context;
    uint64_t allocs, frees, temporary;
    uint64_t at_peak;           /* number of blocks alive at the peak; valid only if `epoch` is the current epoch */
    uint64_t epoch;             /* epoch of the last change; each new peak begins an epoch */
};

struct mp_heaptrack_events {
    struct mp_heaptrack_cell *cells;    uint32_t cells_room;    /* keys.count cells */
    uint32_t *infos;            uint32_t n_infos, infos_room;   /* cell of each information record */
    struct mp_map keys;         /* (size, context) of each cell */
    uint64_t live, blocks, allocs, bytes;       /* totals */
    uint64_t peak, peak_blocks, peak_time, epoch;
    uint32_t last;              /* information record of the newest event if that was an allocation, or MP_NO_ID if it
                                 * was a free */
    uint64_t time;              /* ns, of the last time stamp */
    struct mp_point *points;    uint32_t n_points;
    uint32_t every, stamps;     /* one of `every` time stamps becomes a point; number of time stamps so far */
    struct mp_arena *arena;     /* not owned */
};

/* Returns an empty state. The caller owns ARENA, which must outlive it. */
struct mp_heaptrack_events mp_heaptrack_events(struct mp_arena *arena);

/* Adds an information record, which is numbered from 0. Its blocks have SIZE bytes and are allocated in CONTEXT. */
void mp_heaptrack_inform(struct mp_heaptrack_events *events, uint64_t size, uint32_t context);

/* Process one event of the file. INFO is the number of the block's information record. Return NULL, or an error
 * message. */
const char *mp_heaptrack_allocated(struct mp_heaptrack_events *events, uint64_t info);
const char *mp_heaptrack_freed(struct mp_heaptrack_events *events, uint64_t info);
const char *mp_heaptrack_timed(struct mp_heaptrack_events *events, uint64_t milliseconds);

/* Sets the resident size of the point at the current time. */
void mp_heaptrack_resident(struct mp_heaptrack_events *events, uint64_t bytes);

/* Returns the number of CELL's blocks that were alive at the peak. */
uint64_t mp_heaptrack_at_peak(const struct mp_heaptrack_events *events, const struct mp_heaptrack_cell *cell);

/* Returns the time line in ARENA, with the points, the start, the peak and the end. Returns NULL if no time stamp was
 * greater than 0. */
struct mp_timeline *mp_heaptrack_timeline(struct mp_heaptrack_events *events, struct mp_arena *arena);

#endif
