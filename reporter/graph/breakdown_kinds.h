/* SPDX-License-Identifier: MIT */
/*
 * breakdown_kinds.h -- the columns in which a profile's kinds of objects are summed.
 *
 * C has s m l x, by size. Lisp has c f s o, by type. A profile with both has eight columns.
 */
#ifndef MP_BREAKDOWN_KINDS_H
#define MP_BREAKDOWN_KINDS_H

#include "reporter/profile/profile.h"

#define MP_COLUMNS 8            /* maximum */

struct mp_breakdown_style {
    bool c, lisp;               /* the languages that have columns */
    unsigned n;                 /* number of columns */
    char letters[MP_COLUMNS];   /* shown to users; s is both small and structure */
    const char *keys[MP_COLUMNS];       /* machine-readable names: a-z, unique */
    uint32_t first_kind, n_kinds;
    const uint8_t *columns;     /* columns of kinds first_kind, first_kind + 1, ..., n_kinds of them */
    uint8_t other;              /* column of all other kinds */
};

extern const struct mp_breakdown_style mp_breakdown_c;

unsigned mp_breakdown_column(const struct mp_breakdown_style *style, uint32_t kind);

/* Returns the style for PROFILE: c f s o if it has only objects of Lisp, s m l x if it has only C blocks, else
 * both. The result may be in ARENA. */
const struct mp_breakdown_style *mp_breakdown_of(const struct mp_profile *profile,
                                                 struct mp_arena *arena);

#endif
