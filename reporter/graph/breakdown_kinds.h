/* breakdown_kinds.h -- the style of breakdown that fits a profile's kinds of objects. */
#ifndef MP_BREAKDOWN_KINDS_H
#define MP_BREAKDOWN_KINDS_H

#include "reporter/output/breakdown.h"
#include "reporter/profile/profile.h"

/* c f s o for what has objects of Lisp only, s m l x for what has none; else both.  In ARENA. */
const struct mp_breakdown_style *mp_breakdown_of(const struct mp_profile *profile,
                                                 struct mp_arena *arena);
#endif
