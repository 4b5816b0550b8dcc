/* SPDX-License-Identifier: MIT */
/*
 * timeline.h -- the course of a recording: totals at many times, and the counters of all contexts at a few
 * *moments*.
 *
 * A time line has three sources. The monitor writes a point whenever the live bytes have changed by a certain
 * part of the peak. The program writes checkpoints and collections. An observer, which is a second process,
 * polls the live file at intervals. What the program wrote is exact, because every thread saved its counters
 * before it changed them after that instant. An observer reads the counters one after the other while they
 * change.
 */
#ifndef MP_TIMELINE_H
#define MP_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

struct mp_arena;
struct mp_profile;

#define MP_NOT_SEEN UINT64_MAX  /* a figure that nobody recorded */

/* Totals of the whole process at one time, also in a view that shows a part. Points are sorted by time. */
struct mp_point {
    uint64_t time;              /* ns since recording began, like all times here */
    uint64_t live, live_lisp;   /* bytes of malloc's blocks and objects together; bytes of objects only */
    uint64_t blocks;            /* live blocks and objects */
    uint64_t allocs, bytes;     /* total allocated so far, blocks and objects */
    uint64_t resident;          /* resident memory of the process, bytes */
};

enum mp_moment_kind {
    MP_MOMENT_START,            /* recording began; all counters are 0 */
    MP_MOMENT_SEEN,             /* an observer polled */
    MP_MOMENT_PEAK,             /* the peak; its figures are in the cells, and it has no changes */
    MP_MOMENT_CHECKPOINT,       /* a checkpoint that the program set */
    MP_MOMENT_COLLECTION,       /* a collection of the garbage-collected heap; it has no changes */
    MP_MOMENT_SNAPSHOT,         /* a copy was made; it has no changes */
    MP_MOMENT_END,              /* the recording ended; its counters are in the cells */
    MP_MOMENT_KINDS
};

/* A named or observed point in time. Moments are sorted by time. The first is MP_MOMENT_START. If recording has
 * ended, the last is MP_MOMENT_END. */
struct mp_moment {
    enum mp_moment_kind kind;
    uint64_t time;
    const char *name;           /* name of a checkpoint, or the kind of a collection; else "" */
    bool exact;                 /* whether the program wrote it */
    bool has_changes;           /* whether the counters of all contexts at this moment are known; always true of
                                   START and END */
    uint32_t first_change, n_changes;   /* changes since the previous moment that has changes; END has none here */
    uint64_t pause;             /* duration of a collection, ns */
    uint64_t heap_before, heap_after;   /* bytes of the heap before and after it, or MP_NOT_SEEN if unknown */
};

/* Counts of one context and kind between two consecutive moments that have changes. The changes of a moment are
 * sorted by (context, kind), each pair once. The sums of all changes do not overflow, but in a damaged file they
 * may exceed the cells' counts. */
struct mp_change {
    uint32_t context, kind;     /* as in cells; in a view, its own contexts */
    uint64_t allocs, bytes, frees, freed;
    uint64_t temporary;         /* temporary blocks among `allocs`; known at exact moments only, for the time since the
                                   last one of these */
};

struct mp_timeline {
    struct mp_point *points;    uint32_t n_points;
    struct mp_moment *moments;  uint32_t n_moments;
    struct mp_change *changes;  uint32_t n_changes;
    uint64_t interval;          /* last interval between points in ns, or 0 if there was no observer */
    bool temporary;             /* whether temporary blocks are known for exact moments; for others they never are */
    uint32_t left_out;          /* number of the program's moments whose changes were dropped for lack of space;
                                   shown wherever moments are */
};

/* Names of the kinds: "start", "seen", "peak", "checkpoint", "collection", "snapshot", "end". */
extern const char *const mp_moment_names[MP_MOMENT_KINDS];

/* Live bytes and blocks of one context and kind at a moment. */
struct mp_live {
    uint32_t context, kind;
    int64_t bytes, blocks;      /* negative if the free was read from one thread's counters, but the allocation not
                                   from another's */
};

/* Returns whether the live bytes of all contexts at MOMENT are known. They are known for moments with changes
 * and for the peak. */
static inline bool
mp_moment_is_known(const struct mp_moment *moment)
{
    return moment->has_changes || moment->kind == MP_MOMENT_PEAK;
}

/* Returns the reason why PROFILE has no time line, as the end of a sentence. */
const char *mp_timeline_absence(const struct mp_profile *profile);

/* Returns the index of the first moment of KIND, or MP_NO_ID. TIMELINE may be NULL. */
uint32_t mp_timeline_find(const struct mp_timeline *timeline, enum mp_moment_kind kind);

/* Returns the index of the last moment not later than TIME, or MP_NO_ID. If KNOWN, considers only moments of
 * which mp_moment_is_known() is true. */
uint32_t mp_timeline_at(const struct mp_timeline *timeline, uint64_t time, bool known);

/* Returns the live bytes at TIME, of objects only if LISP. This is the value on the line between the two adjacent
 * points that have this figure. The monitor writes a point before the live bytes are further from that line than a
 * certain part of the peak. After the last point, returns its value. Returns MP_NOT_SEEN before the first point. */
uint64_t mp_timeline_live_at(const struct mp_timeline *timeline, uint64_t time, bool lisp);

/* Returns the time at which the line from point A to point B, which is later, has LIVE bytes. One of the points has
 * more, and the other one does not. */
uint64_t mp_point_crossing(const struct mp_point *a, const struct mp_point *b, uint64_t live);

static inline uint64_t
mp_point_live(const struct mp_point *point, bool lisp)
{
    return lisp ? point->live_lisp : point->live;
}

/* Removes some of N POINTS, which are sorted by time. The live bytes of each removed point differ by at most NEAR from
 * the line between the remaining points. Returns the new number. */
uint32_t mp_points_straighten(struct mp_point points[], uint32_t n, uint64_t near);

/* Returns all counts from the start until MOMENT, which has changes. There are *N, sorted by (context, kind),
 * each pair once, in ARENA. For the end they are taken from the cells of PROFILE. */
struct mp_change *mp_timeline_until(const struct mp_profile *profile, uint32_t moment, uint32_t *n,
                                    struct mp_arena *arena);

/* Returns what was alive at MOMENT, of which mp_moment_is_known() is true. There are *N, sorted by (context,
 * kind), without zeros, in ARENA. */
struct mp_live *mp_timeline_live(const struct mp_profile *profile, uint32_t moment, uint32_t *n,
                                 struct mp_arena *arena);

/* Adds the counts of MORE to TO. Sums stop at UINT64_MAX, because a damaged file may contain any figures. */
void mp_change_add(struct mp_change *to, const struct mp_change *more);

/* Sorts the N CHANGES and merges changes of the same context and kind. Returns their new number. */
uint32_t mp_changes_merge(struct mp_change changes[], uint32_t n);

/* Returns a copy of FROM, in ARENA, without the changes of moments for which KEEP is false. These changes are
 * added to the changes of the next moment that keeps its own. KEEP has an item for each moment. */
struct mp_timeline *mp_timeline_thin(const struct mp_timeline *from, const bool keep[],
                                     struct mp_arena *arena);

/* Returns a copy of FROM, in ARENA, in which each change has the context TO(DATA, change). Changes for which TO
 * returns MP_NO_ID are omitted. */
struct mp_timeline *mp_timeline_map(const struct mp_timeline *from,
                                    uint32_t (*to)(void *data, const struct mp_change *change),
                                    void *data, struct mp_arena *arena);

/* Removes the changes of contexts and kinds that have no cell in VIEW. */
void mp_timeline_follow_cells(struct mp_profile *view);

/* Joins the program's time line and an observer's. Returns the points and moments of A and B sorted by time, in ARENA.
 * If times are equal, A's come first. Both time lines begin with MP_MOMENT_START. The end is omitted. The changes of
 * each moment are relative to the preceding moment that has changes, whether from A or B. */
struct mp_timeline *mp_timeline_join(const struct mp_timeline *a, const struct mp_timeline *b,
                                     struct mp_arena *arena);

/* Insert MOMENT, which has no changes, or POINT into TIMELINE by its time, before all later ones. A moment is also
 * placed before the end. The new list is in ARENA. */
void mp_timeline_add_moment(struct mp_timeline *timeline, struct mp_moment moment,
                            struct mp_arena *arena);
void mp_timeline_add_point(struct mp_timeline *timeline, struct mp_point point,
                           struct mp_arena *arena);

#endif
