/*
 * live_marks.h -- the changes of cells between checkpoints, shared by live_marks.c and live_marks_sampled.c.
 *
 * live_marks.c collects the changes before cells are summed and builds the time line after that. In a sampled
 * recording live_marks_sampled.c turns the changes into estimates in between.
 */
#ifndef MP_LIVE_MARKS_H
#define MP_LIVE_MARKS_H

#include <stddef.h>

#include "reporter/profile/timeline.h"

struct mp_live_change {
    uint32_t checkpoint;        /* number of the first checkpoint after the change */
    uint32_t size;              /* in bytes, of each sampled block; UINT32_MAX for blocks of several sizes, all of
                                   which are so large that each is recorded; 0 in a recording without sampling */
    struct mp_change change;
};

/* Replaces counts of samples by estimates in CHANGES, which has *N elements sorted by checkpoint, context, kind and
 * size. Afterwards there is one element for each checkpoint, context and kind, and *N is their number. The
 * estimates sum up to the cells of PROFILE. At no time is more freed than allocated. If no samples change after a
 * checkpoint, the estimate at that checkpoint equals the final one. */
void mp_live_marks_estimate(const struct mp_profile *profile, struct mp_live_change changes[], size_t *n);

#endif
