/* SPDX-License-Identifier: MIT */
/*
 * print.h -- options for printing tables: how much is shown, and how. Some of them affect only one table.
 *
 * Thresholds are shares of the figure that the table counts, such as bytes or kept bytes. With `least` they are bytes
 * or blocks.
 */
#ifndef MP_PRINT_H
#define MP_PRINT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "reporter/base/format_number.h"
#include "reporter/profile/profile.h"

enum mp_verbosity { MP_TERSE, MP_NORMAL, MP_VERBOSE };

struct mp_print_options {
    enum mp_verbosity verbosity;
    unsigned permille;          /* minimum share of a row, in tenths of a percent; if 0, verbosity determines it */
    unsigned most;              /* maximum rows of a table; 0 for all */
    uint64_t least;             /* minimum figure of a row, in bytes or blocks; if 0, `permille` applies */
    enum mp_sort sort;
    bool with_callees;          /* the table of functions is sorted by what was allocated while they ran, and also has
                                   those that allocated nothing themselves */
    bool sorted;                /* the user chose `sort`, so it also applies to tables that are not sorted by
                                   allocated bytes by default */
    bool moment;                /* shows what was alive at one point in time */
    bool growth;                /* shows what happened between two points in time; kept figures are signed */
    bool no_temporary;          /* the number of temporary blocks in the window is unknown */
    unsigned width;             /* columns of the terminal; 0 if unlimited */
    const char *ellipsis;       /* replaces the middle of names that are too wide; NULL to print whole names */
    bool color;
    bool forms;                 /* findings name forms of the Lisp module instead of commands */
    bool form_1988;             /* table 2 has only the columns of 1988; table 4 has indices after names */
    bool calls;                 /* chains contain their calls, for machine-readable output */
    bool lines;                 /* source lines in chains */
    bool paths;                 /* full paths of source files in chains */
    bool offsets;               /* call sites as name+n in chains */
    unsigned chain;             /* functions shown of a chain in table 2; 0 for all */
    unsigned sites;             /* number of functions of a site in the tables of survival and lifetimes; 0 for all,
                                   1 for only the allocating function */
    unsigned callers;           /* functions shown of a chain in table 6; 0 for all */
};

#define MP_PRINT_DEFAULT { .verbosity = MP_NORMAL, .chain = 5, .sites = 1, .callers = 10 }

/* Replaces the rows of an empty table. */
#define MP_PRINT_NOTHING "Nothing was allocated."

/* Returns the minimum share of a row in tenths of a percent. Defaults: verbose 0, normal 5, terse 10. */
static inline unsigned
mp_print_threshold(const struct mp_print_options *options)
{
    if (options->permille > 0)
        return options->permille;
    return options->verbosity == MP_VERBOSE ? 0 : options->verbosity == MP_NORMAL ? 5 : 10;
}

/* Returns true if PART of WHOLE reaches the threshold. For a WHOLE of 0, it is always reached. */
static inline bool
mp_print_shows(const struct mp_print_options *options, uint64_t part, uint64_t whole)
{
    if (options->least > 0)
        return part >= options->least;
    return (long double)part * 1000 >= (long double)whole * mp_print_threshold(options);
}

/* Returns the figure by which a row with COUNTS is sorted. */
static inline uint64_t
mp_print_key(const struct mp_print_options *options, const struct mp_counts *counts)
{
    return mp_counts_key(counts, options->sort);
}

/* Returns true if the user chose an order, so tables do not use their default order. */
static inline bool
mp_print_sorted(const struct mp_print_options *options)
{
    return options->sorted || options->sort != MP_SORT_BYTES;
}

/* Returns true if another row may follow ROWS rows. */
static inline bool
mp_print_room(const struct mp_print_options *options, uint64_t rows)
{
    return options->most == 0 || rows < options->most;
}

#endif
