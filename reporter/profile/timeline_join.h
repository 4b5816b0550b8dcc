/* timeline_join.h -- joins the program's time line and an observer's. */
#ifndef MP_TIMELINE_JOIN_H
#define MP_TIMELINE_JOIN_H

#include "profile.h"

/* Returns the points and moments of A and B sorted by time, in ARENA. If times are equal, A's come first. Both
 * time lines begin with MP_MOMENT_START. The end is omitted. The changes of each moment are relative to the
 * preceding moment that has changes, whether from A or B. */
struct mp_timeline *mp_timeline_join(const struct mp_timeline *a, const struct mp_timeline *b,
                                     struct mp_arena *arena);

/* Inserts MOMENT, which has no changes, into TIMELINE by its time. It is placed before all later moments and
 * before the end. The new list of moments is in ARENA. */
void mp_timeline_add_moment(struct mp_timeline *timeline, struct mp_moment moment,
                            struct mp_arena *arena);
void mp_timeline_add_point(struct mp_timeline *timeline, struct mp_point point,
                           struct mp_arena *arena);

#endif
