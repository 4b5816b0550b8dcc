/*
 * window.h -- what happened between two moments of a recording, or what lived at one: a profile like any
 * other, made before the view.
 *
 * Moments are called by what the time line (timeline.h) has: "start", "peak", "end"; the name of a checkpoint,
 * NAME#2 for the second one of that name, #3 for the third of all; "1.5s" or "200ms", the last moment until then
 * of which it is known what was where.  A name goes before a time.
 *
 * Of two moments, allocs, bytes, frees and freed are what was counted between them, and what is kept is by how
 * much that grew: allocs - frees, bytes - freed, of objects, too.  It may be negative: kept and kept_blocks
 * are to be read as signed numbers then, which mp_counts_key() does and mp_value_kept() is for.  What else is
 * counted is not known of a part, and 0.  What was temporary is known between the start, the end and checkpoints:
 * of the blocks that were freed meanwhile those that were so.  Of what an observer saw, and of samples, it is not.
 * What realloc made larger stands beside the cells, and at a checkpoint nobody writes it down.  How many blocks other
 * threads freed is a least number, what a thread has freed of a chain more than allocated: it may fall as the thread
 * goes on, so two of them have no difference that means anything.  How old objects became is known of those that
 * died, not of when.  Of the peak only what lived is known: between it and another moment what grew counts as
 * allocated, and what shrank as freed.
 */
#ifndef MP_WINDOW_H
#define MP_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "profile.h"

/* As users write them; NULL: not given.  Either `at`, or the others; `from` is the start by itself, `to` the
 * end. */
struct mp_window_ends {
    const char *from, *to, *at;
};

/* What a profile is of, if that is not the whole recording. */
struct mp_window {
    bool alive;                 /* what lived at `to`, and all of it is kept; else what happened between */
    bool exact;                 /* no end was seen from outside, counter by counter */
    bool lived;                 /* not alive, and what is kept is what lived at `to` all the same: see push/since.h */
    bool net;                   /* one end is the peak, see above */
    bool temporary;             /* it is known what was; else 0 stands there */
    const char *from, *to;      /* for people: "the start", "checkpoint parsed (1.250 s)" */
    struct mp_window_ends ends; /* as they were asked for */
};

/* Is WINDOW, NULL for none, of what happened in a time, so that what is kept is signed? */
static inline bool
mp_window_is_growth(const struct mp_window *window)
{
    return window && !window->alive && !window->lived;
}

/* Is of WINDOW, NULL for none, not known what was temporary? */
static inline bool
mp_window_lacks_temporary(const struct mp_window *window)
{
    return window && !window->temporary;
}

static inline bool
mp_window_is_wanted(const struct mp_window_ends *ends)
{
    return ends->from || ends->to || ends->at;
}

/* The part of PROFILE that ENDS say, of which that must be wanted: cells, and `window`; it has no time line
 * and no bins of its own.  It must be freed before PROFILE.  NULL and *ERROR: there is no such moment, nothing
 * is known of it, or they are in the wrong order. */
struct mp_profile *mp_window(const struct mp_profile *profile, const struct mp_window_ends *ends,
                             struct mp_error *error);

/* "between the start and checkpoint parsed (1.250 s)", "at the peak": for people, in ARENA. */
const char *mp_window_text(const struct mp_window *window, struct mp_arena *arena);

#endif
