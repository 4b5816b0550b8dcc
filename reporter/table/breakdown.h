/* SPDX-License-Identifier: MIT */
/*
 * breakdown.h -- the narrow columns of tables 3 and 4: percentages by kind of object.
 *
 * Percentages are whole numbers, rounded down as in 1988 (so 100 means all). Values below 1 % are blank.
 */
#ifndef MP_BREAKDOWN_H
#define MP_BREAKDOWN_H

#include "reporter/graph/breakdown_kinds.h"

#define MP_COLUMN_WIDTH 4                                   /* a blank and three digits */
#define MP_BREAKDOWN_WIDTH (MP_COLUMNS * MP_COLUMN_WIDTH)   /* in bytes, which equal terminal columns */

/* Returns what distinguishes the columns: "size", "type", or "kind" if both occur. */
const char *mp_breakdown_what(const struct mp_breakdown_style *style);

static inline int
mp_breakdown_width(const struct mp_breakdown_style *style)
{
    return (int)(style->n * MP_COLUMN_WIDTH);
}

/* Write the heads, for example " s m l x", and the cells below them. Each is mp_breakdown_width() wide. */
void mp_breakdown_heads(const struct mp_breakdown_style *style, char text[MP_BREAKDOWN_WIDTH + 1]);
void mp_breakdown_cells(const struct mp_breakdown_style *style, const uint64_t parts[MP_COLUMNS],
                        uint64_t whole, char text[MP_BREAKDOWN_WIDTH + 1]);
#endif
