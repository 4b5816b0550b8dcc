/*
 * timeline.h -- how a recording went: totals at many times, and what was where at a few.
 *
 * Three write it: the monitor, a point whenever the live bytes have changed by a part of the peak; the program, at
 * what it calls checkpoints and at collections; and an observer, a second process that looks into the live file at
 * intervals.  What the program wrote is exact: every thread
 * wrote down its counters before it changed any after that instant.  What an observer saw is each counter
 * as it was while it looked, one after the other.
 */
#ifndef MP_TIMELINE_H
#define MP_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

struct mp_arena;
struct mp_cell;
struct mp_profile;

#define MP_NOT_SEEN UINT64_MAX  /* in the place of a figure that nobody looked at */

/* Totals at one time, of the whole process, also in a view that shows a part.  Points ascend by time. */
struct mp_point {
    uint64_t time;              /* ns since recording began, as all times here */
    uint64_t live, live_lisp;   /* bytes: of malloc's blocks and of all objects together; of objects only */
    uint64_t blocks;            /* that live, of both */
    uint64_t allocs, bytes;     /* allocated so far, of both */
    uint64_t resident;          /* bytes of memory that the process occupied */
};

enum mp_moment_kind {
    MP_MOMENT_START,            /* recording began: nothing was counted */
    MP_MOMENT_SEEN,             /* an observer looked */
    MP_MOMENT_PEAK,             /* most lived: what was where stands in the cells, and not in changes */
    MP_MOMENT_CHECKPOINT,       /* the program called it so */
    MP_MOMENT_COLLECTION,       /* of a garbage-collected heap; without changes */
    MP_MOMENT_SNAPSHOT,         /* a copy was made; without changes */
    MP_MOMENT_END,              /* recording ended: its counters are the cells' */
    MP_MOMENT_KINDS
};

/* Moments ascend by time, the first is MP_MOMENT_START; END is the last, if recording has ended. */
struct mp_moment {
    enum mp_moment_kind kind;
    uint64_t time;
    const char *name;           /* of a checkpoint, of a collection's kind; else "" */
    bool exact;                 /* the program wrote it */
    bool has_changes;           /* what was where at this moment is known; of START and END always */
    uint32_t first_change, n_changes;   /* since the last moment before that has changes; END has none here */
    uint64_t pause;             /* of a collection: ns that it took, */
    uint64_t heap_before, heap_after;   /* and bytes of its heap; MP_NOT_SEEN: not known */
};

/* What was counted of one context and kind between two moments that have changes.  Those of a moment are
 * sorted by (context, kind), each pair once.  The sums of all changes do not overflow; of a damaged file
 * they may be more than the cells'. */
struct mp_change {
    uint32_t context, kind;     /* as of cells; of a view: its contexts */
    uint64_t allocs, bytes, frees, freed;
    uint64_t temporary;         /* blocks of allocs, where the time line knows; all since the last exact moment */
};

struct mp_timeline {
    struct mp_point *points;    uint32_t n_points;
    struct mp_moment *moments;  uint32_t n_moments;
    struct mp_change *changes;  uint32_t n_changes;
    uint64_t interval;          /* ns between points at last; 0: nobody observed */
    bool temporary;             /* it is known of exact moments what was temporary; of others it never is */
    uint32_t left_out;          /* moments of the program of which there is no breakdown, for want of room;
                                   shown wherever moments are */
};

/* "start", "seen", "peak", "checkpoint", "collection", "snapshot", "end". */
extern const char *const mp_moment_names[MP_MOMENT_KINDS];

/* What lived at a moment, of one context and kind. */
struct mp_live {
    uint32_t context, kind;
    int64_t bytes, blocks;      /* less than 0: freed by a thread whose counters were read, when those of
                                   the one that allocated were not */
};

/* Is what lived at MOMENT known?  So it is of those with changes, and of the peak. */
static inline bool
mp_moment_is_known(const struct mp_moment *moment)
{
    return moment->has_changes || moment->kind == MP_MOMENT_PEAK;
}

/* Returns why PROFILE has no time line, as the end of a sentence that says that it has none. */
const char *mp_timeline_absence(const struct mp_profile *profile);

/* The first moment of KIND; MP_NO_ID: there is none, or no TIMELINE. */
uint32_t mp_timeline_find(const struct mp_timeline *timeline, enum mp_moment_kind kind);

/* The last moment until TIME of which it is known what lived, if KNOWN, else any; MP_NO_ID: none. */
uint32_t mp_timeline_at(const struct mp_timeline *timeline, uint64_t time, bool known);

/* All that was counted from the start until MOMENT, which has changes: *N of them, by (context, kind), each
 * pair once, in ARENA.  Until the end it is what the cells of PROFILE say. */
struct mp_change *mp_timeline_until(const struct mp_profile *profile, uint32_t moment, uint32_t *n,
                                    struct mp_arena *arena);

/* What lived at MOMENT, of which that is known: *N of them, by (context, kind), without those that are 0. */
struct mp_live *mp_timeline_live(const struct mp_profile *profile, uint32_t moment, uint32_t *n,
                                 struct mp_arena *arena);

/* Sort N changes, and make one of those of one context and kind; how many they are then. */
uint32_t mp_changes_merge(struct mp_change changes[], uint32_t n);

/* Let moments that KEEP (one for each) is false for have no changes of their own, if they have any: these
 * count for the next one that has.  FROM stays as it is; the result is in ARENA. */
struct mp_timeline *mp_timeline_thin(const struct mp_timeline *from, const bool keep[],
                                     struct mp_arena *arena);

/* FROM with each change in context TO(DATA, change); MP_NO_ID: it is left out. */
struct mp_timeline *mp_timeline_map(const struct mp_timeline *from,
                                    uint32_t (*to)(void *data, const struct mp_change *change),
                                    void *data, struct mp_arena *arena);

/* Leave out the changes of contexts and kinds of which VIEW has no cell any more. */
void mp_timeline_follow_cells(struct mp_profile *view);

#endif
