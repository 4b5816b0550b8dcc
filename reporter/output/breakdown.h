/*
 * breakdown.h -- the narrow columns of tables 3 and 4: percentages by kind of object.
 *
 * C: s m l x by size.  Lisp: c f s o by type.  Both in one profile: eight columns.  A style says
 * to which column a kind belongs and how the columns are headed.  Percentages are whole ones,
 * rounded down as in 1988 (so that 100 means all), and blank under 1 %.
 */
#ifndef MP_BREAKDOWN_H
#define MP_BREAKDOWN_H

#include <stdint.h>

#define MP_COLUMNS 8                                        /* at most */
#define MP_COLUMN_WIDTH 4                                   /* a blank and three digits */
#define MP_BREAKDOWN_WIDTH (MP_COLUMNS * MP_COLUMN_WIDTH)   /* bytes = columns of the terminal */

struct mp_breakdown_style {
    const char *what;           /* that objects are told apart by: "size" */
    unsigned n;                 /* columns */
    char letters[MP_COLUMNS];
    uint32_t first_kind, n_kinds;
    const uint8_t *columns;     /* of first_kind, first_kind + 1, ...; n_kinds of them */
    uint8_t other;              /* column of every other kind */
};

extern const struct mp_breakdown_style mp_breakdown_c;

unsigned mp_breakdown_column(const struct mp_breakdown_style *style, uint32_t kind);

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
