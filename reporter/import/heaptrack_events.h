/*
 * heaptrack_events.h -- each allocation and each free of a heaptrack file, one after the other: what is kept of
 * them are sums for each information, which is a size and a chain.
 */
#ifndef MP_IMPORT_HEAPTRACK_EVENTS_H
#define MP_IMPORT_HEAPTRACK_EVENTS_H

#include "reporter/profile/profile.h"

/* Blocks of one size, allocated by one chain.  Several informations may say the same. */
struct mp_heaptrack_cell {
    uint64_t size;
    uint32_t context;
    uint64_t allocs, frees, temporary;
    uint64_t at_peak;           /* blocks that lived then, if anything has changed since, */
    uint64_t epoch;             /* in this one; epochs begin with each new peak */
};

struct mp_heaptrack_events {
    struct mp_heaptrack_cell *cells;    uint32_t cells_room;    /* keys.count of them */
    uint32_t *infos;            uint32_t n_infos, infos_room;   /* the cell of each */
    struct mp_map keys;         /* of cells: size and context */
    uint64_t live, blocks, allocs, bytes;       /* of all */
    uint64_t peak, peak_blocks, peak_time, epoch;
    uint32_t last;              /* the information on what was just allocated; MP_NO_ID: the last event was a free */
    uint64_t time;              /* ns, of the last time stamp */
    struct mp_point *points;    uint32_t n_points;
    uint32_t every, stamps;     /* one of so many time stamps is a point; how many there were since the last */
    struct mp_arena *arena;     /* not owned */
};

/* ARENA is not owned, and must outlive it. */
struct mp_heaptrack_events mp_heaptrack_events(struct mp_arena *arena);

void mp_heaptrack_inform(struct mp_heaptrack_events *events, uint64_t size, uint32_t context);

/* NULL, or what is wrong. */
const char *mp_heaptrack_allocated(struct mp_heaptrack_events *events, uint64_t info);
const char *mp_heaptrack_freed(struct mp_heaptrack_events *events, uint64_t info);
const char *mp_heaptrack_timed(struct mp_heaptrack_events *events, uint64_t milliseconds);

/* The process occupies so many bytes of memory. */
void mp_heaptrack_resident(struct mp_heaptrack_events *events, uint64_t bytes);

/* How many of CELL's blocks lived at the peak. */
uint64_t mp_heaptrack_at_peak(const struct mp_heaptrack_events *events, const struct mp_heaptrack_cell *cell);

/* The points, and start, peak and end, in ARENA; NULL: there were no time stamps. */
struct mp_timeline *mp_heaptrack_timeline(struct mp_heaptrack_events *events, struct mp_arena *arena);

#endif
