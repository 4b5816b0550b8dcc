/* SPDX-License-Identifier: MIT */
/*
 * window.h -- selects what happened between two moments of a recording, or what was alive at one. The result is
 * a profile like any other. It is a step of mp_view(), see view.h.
 *
 * Users name moments of the time line (timeline.h) in these ways: "start", "peak" or "end"; the name of a
 * checkpoint, with NAME#2 for the second one of that name and #3 for the third of all; or a time, "1.5s" or
 * "200ms". A time means the last moment until then at which the counters of all contexts are known. It is refused if
 * that moment is more than 1/20 of the duration earlier, or the start. If a text is both a name and a time, it is the
 * name.
 *
 * Between two moments, allocs, bytes, frees and freed are the counts in between. What is kept is the growth,
 * allocs - frees and bytes - freed, for objects as well. It may be negative, so kept and kept_blocks must be
 * read as signed numbers. mp_counts_key() does that, and mp_value_kept() makes values of them. Other counters
 * are unknown in a window, and 0.
 *
 * Temporary blocks are known between the start, the end and checkpoints, but not at moments seen by an observer, nor
 * in sampled recordings. A temporary block counts in the window in which it is freed. Blocks that realloc enlarged are
 * counted beside the cells, and checkpoints do not save these counters. The number of blocks freed by other threads is
 * a minimum, namely by how much a thread's frees on a chain exceed its allocations. It may decrease as the thread
 * continues, so differences of it are meaningless. The age of an object is counted when it dies, but the time is not
 * recorded. At the peak only live bytes are known, so between the peak and another moment, growth counts as allocated
 * and shrinkage as freed.
 */
#ifndef MP_WINDOW_H
#define MP_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "reporter/profile/profile.h"

/* The moments as written by the user; NULL if not given. Either `at` is given or the others. The default of
 * `from` is the start, that of `to` the end. */
struct mp_window_ends {
    const char *from, *to, *at;
};

/* The part of a recording that a profile describes. */
struct mp_window {
    bool alive;                 /* true if the part is what was alive at `to`, all of it kept; false if it is what
                                   happened between the moments */
    bool exact;                 /* false if an observer read one of the moments counter by counter */
    bool net;                   /* one of the moments is the peak, so only growth and shrinkage are known (see
                                   above) */
    bool temporary;             /* whether temporary blocks are known; if not, the counters are 0 */
    const char *from, *to;      /* human-readable: "the start", "checkpoint parsed (1.250 s)" */
    struct mp_window_ends ends; /* as requested */
};

/* Returns whether WINDOW, which may be NULL, is a period of time, so that what is kept is signed. */
static inline bool
mp_window_is_growth(const struct mp_window *window)
{
    return window && !window->alive;
}

/* Returns whether WINDOW, which may be NULL, lacks the number of temporary blocks. */
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

/* Returns the part of PROFILE between ENDS, of which at least one must be given. It has `window` and cells, but
 * no time line and no bins of its own. It must be freed before PROFILE. Returns NULL and fills *ERROR if an end
 * is no moment of the recording, nothing is known about that moment, or the ends are in the wrong order. */
struct mp_profile *mp_window(const struct mp_profile *profile, const struct mp_window_ends *ends,
                             struct mp_error *error);

/* Returns a human-readable text in ARENA: "between the start and checkpoint parsed (1.250 s)", "at the peak". */
const char *mp_window_text(const struct mp_window *window, struct mp_arena *arena);

#endif
