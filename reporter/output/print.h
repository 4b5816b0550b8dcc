/*
 * print.h -- what all tables share: how much is shown, and how.
 *
 * Shares are of what the table counts: bytes, kept bytes.
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
    unsigned permille;          /* smallest share that is shown; 0: by verbosity */
    unsigned most;              /* rows of a table at most; 0: all */
    uint64_t least;             /* smallest figure that is shown, bytes or blocks; 0: by share */
    enum mp_sort sort;
    bool sorted;                /* it was asked for: also of tables that by themselves are not sorted by
                                   bytes allocated */
    bool moment;                /* what is shown is what was alive at one moment; */
    bool growth;                /* or what happened between two: what is kept is signed, see window.h; */
    bool no_temporary;          /* and what of that was temporary is not known */
    unsigned width;             /* columns of the terminal; 0: unlimited */
    const char *ellipsis;       /* what stands for the middle of names that are too wide for it; NULL:
                                   none are cut */
    bool color;
    bool form_1988;             /* table 2 has the columns of 1988, and no more; table 4
                                   has indices behind names */
    bool calls;                 /* chains are wanted as calls, too, not only as texts */
    bool lines;                 /* source lines in leak paths */
    bool paths;                 /* ... with whole paths of the files */
    bool offsets;               /* call sites as name+n in leak paths */
    unsigned chain;             /* callers in leak paths; 0 = all */
    unsigned sites;             /* the same in the table of survival; 1: functions by themselves */
    unsigned callers;           /* the same in the table of sites */
};

#define MP_PRINT_DEFAULT { .verbosity = MP_NORMAL, .chain = 5, .sites = 1, .callers = 10 }

/* Instead of a table's rows. */
#define MP_PRINT_NOTHING "Nothing was allocated."

/* Smallest share that is shown, in tenths of a percent: verbose 0, normal 5, terse 10. */
static inline unsigned
mp_print_threshold(const struct mp_print_options *options)
{
    if (options->permille > 0)
        return options->permille;
    return options->verbosity == MP_VERBOSE ? 0 : options->verbosity == MP_NORMAL ? 5 : 10;
}

/* Does PART of WHOLE reach the threshold?  0 of 0 does. */
static inline bool
mp_print_shows(const struct mp_print_options *options, uint64_t part, uint64_t whole)
{
    if (options->least > 0)
        return part >= options->least;
    return (long double)part * 1000 >= (long double)whole * mp_print_threshold(options);
}

/* What rows with COUNTS are sorted by. */
static inline uint64_t
mp_print_key(const struct mp_print_options *options, const struct mp_counts *counts)
{
    return mp_counts_key(counts, options->sort);
}

/* Was it asked for that tables be sorted, and not as they are by themselves? */
static inline bool
mp_print_sorted(const struct mp_print_options *options)
{
    return options->sorted || options->sort != MP_SORT_BYTES;
}

/* Is there room for one more after ROWS rows? */
static inline bool
mp_print_room(const struct mp_print_options *options, uint64_t rows)
{
    return options->most == 0 || rows < options->most;
}

#endif
