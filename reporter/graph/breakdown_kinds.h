/*
 * breakdown_kinds.h -- the columns that a profile's kinds of objects are summed in.
 *
 * C: s m l x by size.  Lisp: c f s o by type.  Both in one profile: eight columns.
 */
#ifndef MP_BREAKDOWN_KINDS_H
#define MP_BREAKDOWN_KINDS_H

#include "reporter/profile/profile.h"

#define MP_COLUMNS 8            /* at most */

struct mp_breakdown_style {
    bool c, lisp;               /* whose objects have columns */
    unsigned n;                 /* columns */
    char letters[MP_COLUMNS];   /* what people read: s is small, and structure */
    const char *keys[MP_COLUMNS];       /* their names for programs: a-z, unique */
    uint32_t first_kind, n_kinds;
    const uint8_t *columns;     /* of first_kind, first_kind + 1, ...; n_kinds of them */
    uint8_t other;              /* column of every other kind */
};

extern const struct mp_breakdown_style mp_breakdown_c;

unsigned mp_breakdown_column(const struct mp_breakdown_style *style, uint32_t kind);

/* c f s o for what has objects of Lisp only, s m l x for what has none; else both.  In ARENA. */
const struct mp_breakdown_style *mp_breakdown_of(const struct mp_profile *profile,
                                                 struct mp_arena *arena);

#endif
