/*
 * timeline.h -- how a recording went: totals at many times, and what was where at a few.
 *
 * Two write it: the program itself, at what it calls checkpoints and at collections; and an observer, a
 * second process that looks into the live file at intervals.  What the program wrote is exact: every thread
 * wrote down its counters before it changed any after that instant.  What an observer saw is each counter
 * as it was while it looked, one after the other.
 */
#ifndef MP_TIMELINE_H
#define MP_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#define MP_NOT_SEEN UINT64_MAX  /* in the place of a figure that nobody looked at */

/* Totals at one time.  Points ascend by time. */
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
    MP_MOMENT_PEAK,             /* the highest that it met: the exact peak stands in the cells */
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
 * sorted by (context, kind), each pair once. */
struct mp_change {
    uint32_t context, kind;     /* as of cells; of a view: its contexts */
    uint64_t allocs, bytes, frees, freed;
};

struct mp_timeline {
    struct mp_point *points;    uint32_t n_points;
    struct mp_moment *moments;  uint32_t n_moments;
    struct mp_change *changes;  uint32_t n_changes;
    uint64_t interval;          /* ns between points at last; 0: nobody observed */
    uint32_t left_out;          /* moments of the program of which there is no breakdown, for want of room;
                                   shown wherever moments are */
};

#endif
