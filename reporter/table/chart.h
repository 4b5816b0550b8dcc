/* SPDX-License-Identifier: MIT */
/* chart.h -- charts of bytes over time in terminal characters. */
#ifndef MP_CHART_H
#define MP_CHART_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "reporter/profile/profile.h"

#define MP_CHART_COLUMNS 240u

struct mp_chart {
    unsigned rows, label;       /* height; columns at the left for the label of the head, or 0 */
    uint64_t columns[MP_CHART_COLUMNS];         /* n of them: bytes */
    unsigned n;
    uint64_t highest;           /* bytes */
    uint64_t from, to;          /* ns */
};

/* Sets the number of columns of CHART, in which rows and label are set and all else is 0, so that its lines have at
 * most WIDTH columns, MOST of them for the picture. Returns false if there is no space or no time
 * between FROM and TO. */
bool mp_chart_begin(struct mp_chart *chart, unsigned width, unsigned most, uint64_t from, uint64_t to);

/* Returns the time at which COLUMN begins, ns. */
uint64_t mp_chart_time(const struct mp_chart *chart, unsigned column);

/* Raises COLUMN to BYTES, which may be MP_NOT_SEEN. */
void mp_chart_raise(struct mp_chart *chart, unsigned column, uint64_t bytes);

/* Prints CHART with block characters if UTF8, else in ASCII. Prints nothing if all of it is 0. */
void mp_chart_draw(const struct mp_chart *chart, bool utf8, FILE *out);

/* Prints a chart of live bytes over time, from PROFILE's time line, in lines of at most WIDTH columns. If LISP, counts
 * only Lisp objects. Prints nothing if WIDTH is too small or there is no time line. */
void mp_chart_print(const struct mp_profile *profile, bool lisp, unsigned width, bool utf8, FILE *out);

#endif
