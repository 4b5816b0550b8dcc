/* SPDX-License-Identifier: MIT */
/*
 * flat_columns.h -- the columns of the formats csv and ndjson, and the tables of database engines for them. flat.c has
 * the list of columns with their values.
 */
#ifndef MP_FLAT_COLUMNS_H
#define MP_FLAT_COLUMNS_H

#include "export.h"

enum mp_flat_type {
    MP_FLAT_TEXT,
    MP_FLAT_NUMBER,             /* never negative */
    MP_FLAT_FIGURE,             /* negative if memory shrank in a part of the time */
    MP_FLAT_TRUTH,              /* true or false */
    MP_FLAT_NUMBERS,            /* a list; in csv a text in which semicolons separate them */
    MP_FLAT_LABELS,             /* an object; in csv a text such as "build=17;branch=main" */
    MP_FLAT_FRAMES,             /* a list of calls; only in ndjson */
    MP_FLAT_ESTIMATES,          /* an object of intervals; only in ndjson */
    MP_FLAT_TYPES
};

struct mp_flat_column {
    const char *name;
    enum mp_flat_type type;
    bool csv, ndjson;           /* which formats have it */
    bool maybe;                 /* a value can be unknown */
    const char *meaning;        /* noun phrase, without quotes */
};

extern const struct mp_flat_column mp_flat_columns[];
extern const size_t mp_n_flat_columns;

#endif
