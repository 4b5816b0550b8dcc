/* timeline_join.h -- one time line of what the program wrote and what somebody saw. */
#ifndef MP_TIMELINE_JOIN_H
#define MP_TIMELINE_JOIN_H

#include "profile.h"

/* Points and moments of A and B in their order; of equal times those of A come first.  Both begin with
 * MP_MOMENT_START; the end is left out.  Changes of each moment are since the one before that has some,
 * whosever it was.  The result is in ARENA. */
struct mp_timeline *mp_timeline_join(const struct mp_timeline *a, const struct mp_timeline *b,
                                     struct mp_arena *arena);

/* Put MOMENT, which has no changes of its own, to its place by time in TIMELINE, whose moments are then in
 * ARENA: in front of those that are later, and of the end. */
void mp_timeline_add_moment(struct mp_timeline *timeline, struct mp_moment moment,
                            struct mp_arena *arena);
void mp_timeline_add_point(struct mp_timeline *timeline, struct mp_point point,
                           struct mp_arena *arena);

#endif
