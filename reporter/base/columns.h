/* SPDX-License-Identifier: MIT */
/*
 * columns.h -- a table of text columns.
 *
 * Texts are UTF-8, whatever the locale. They are printed unchanged, except for MP_GLUE (fit.h). Rows are copied.
 */
#ifndef MP_COLUMNS_H
#define MP_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct mp_column {
    const char *title;
    enum {
        MP_LEFT, MP_RIGHT,
        MP_WRAP,                /* left-aligned, wrapped if WIDTH is exceeded */
        MP_CODE,                /* left-aligned, its end cut if WIDTH is exceeded; last column only */
        MP_SPARE                /* right-aligned, omitted if WIDTH leaves no space for a last column of MP_CODE */
    } align;
};

struct mp_columns;

/* Creates a table of N columns. It has no row of titles if all titles are "". WIDTH is the number of columns of
 * the terminal; 0 means no limit. */
struct mp_columns *mp_columns_new(const struct mp_column columns[], size_t n, unsigned width);

/* If a text exceeds WIDTH, replaces its middle by ELLIPSIS. This applies to the last text of a row and to single
 * words of wrapped texts. NULL (the default) cuts nothing. */
void mp_columns_cut(struct mp_columns *table, const char *ellipsis);

/* Adds a row. CELLS has a text for each column; NULL means "". */
void mp_columns_row(struct mp_columns *table, const char *const cells[]);

/* Prints the table to OUT, without trailing blanks, and frees it. */
void mp_columns_print(struct mp_columns *table, FILE *out);

/* Prints a title, bold if COLOR, and an empty line. */
void mp_columns_title(FILE *out, const char *title, bool color);

#endif
