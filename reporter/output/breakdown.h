/*
 * breakdown.h -- the narrow columns of tables 3 and 4: percentages by kind of object.
 *
 * Percentages are whole ones, rounded down as in 1988 (so that 100 means all), and blank under 1 %.
 */
#ifndef MP_BREAKDOWN_H
#define MP_BREAKDOWN_H

#include "reporter/graph/breakdown_kinds.h"

#define MP_COLUMN_WIDTH 4                                   /* a blank and three digits */
#define MP_BREAKDOWN_WIDTH (MP_COLUMNS * MP_COLUMN_WIDTH)   /* bytes = columns of the terminal */

/* What objects are told apart by: "size", "type", or "kind" for both. */
const char *mp_breakdown_what(const struct mp_breakdown_style *style);

static inline int
mp_breakdown_width(const struct mp_breakdown_style *style)
{
    return (int)(style->n * MP_COLUMN_WIDTH);
}

/* " s   m   l   x" and the cells under it, each as wide as mp_breakdown_width(). */
void mp_breakdown_heads(const struct mp_breakdown_style *style, char text[MP_BREAKDOWN_WIDTH + 1]);
void mp_breakdown_cells(const struct mp_breakdown_style *style, const uint64_t parts[MP_COLUMNS],
                        uint64_t whole, char text[MP_BREAKDOWN_WIDTH + 1]);
#endif
