/*
 * columns.h -- a table of text columns.
 *
 * Texts are UTF-8, whatever the locale, and printed as they are, but for MP_GLUE of fit.h.  Rows are copied.  Memory
 * that runs out ends in false from mp_columns_print(), never earlier.
 */
#ifndef MP_COLUMNS_H
#define MP_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "error.h"

struct mp_column {
    const char *title;
    enum {
        MP_LEFT, MP_RIGHT,
        MP_WRAP,                /* left, and wrapped where WIDTH has no room for it */
        MP_CODE,                /* left, and its end is cut there: of the last column */
        MP_SPARE                /* right; left out where WIDTH has no room for a last column of MP_CODE */
    } align;
};

struct mp_columns;

/* A table of N columns; there is no row of titles if all are "".  WIDTH: columns of the terminal, 0: lines
 * may be as long as they are. */
struct mp_columns *mp_columns_new(const struct mp_column columns[], size_t n, unsigned width);

/* Where WIDTH has no room for what stands last in a row, or for a word of what is wrapped, ELLIPSIS
 * takes the place of its middle; NULL, as at first: nothing is cut. */
void mp_columns_cut(struct mp_columns *table, const char *ellipsis);

/* One more row; CELLS has a text for each column, "" or NULL for none. */
void mp_columns_row(struct mp_columns *table, const char *const cells[]);

/* Print the table on OUT, without blanks at the ends of lines, and free it. */
bool mp_columns_print(struct mp_columns *table, FILE *out, struct mp_error *error);

/* A title and a blank line, bold if COLOR. */
void mp_columns_title(FILE *out, const char *title, bool color);

#endif
