/*
 * live_marks.h -- what the two halves of live_marks.c, before and after cells are summed, hand on; and what
 * stands between them in a sampled recording.
 */
#ifndef MP_LIVE_MARKS_H
#define MP_LIVE_MARKS_H

#include <stddef.h>

#include "reporter/profile/timeline.h"

struct mp_live_change {
    uint32_t checkpoint;        /* by which it had happened */
    uint32_t size;              /* of a sampled recording: of the blocks; UINT32_MAX: several, each was met;
                                   else 0 */
    struct mp_change change;
};

/* CHANGES, *N of them, ascending by checkpoint, context, kind and size, count samples: estimate them, once for
 * each checkpoint, context and kind, so that they lead to the estimates that the cells of PROFILE have.  At no
 * time is more freed than was allocated, and what did not change since a checkpoint is the same then as at
 * the end. */
void mp_live_marks_estimate(const struct mp_profile *profile, struct mp_live_change changes[], size_t *n);

#endif
