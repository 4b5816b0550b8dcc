/*
 * print.h -- what all tables share: how much is shown, and how.
 *
 * Shares are of what the table counts: bytes, kept bytes.
 */
#ifndef MP_PRINT_H
#define MP_PRINT_H

#include <stdbool.h>
#include <stdint.h>

enum mp_verbosity { MP_TERSE, MP_NORMAL, MP_VERBOSE };

struct mp_print_options {
    enum mp_verbosity verbosity;
    unsigned width;             /* columns of the terminal; 0 = unlimited: nothing is cut */
    bool color;
    bool lines;                 /* source lines in leak paths */
    bool offsets;               /* call sites as name+n in leak paths */
    unsigned chain;             /* callers in leak paths; 0 = all */
};

#define MP_PRINT_DEFAULT { .verbosity = MP_NORMAL, .chain = 5 }

/* Instead of a table's rows. */
#define MP_PRINT_NOTHING "Nothing was allocated.\n"

/* Smallest share that is shown, in tenths of a percent: verbose 0, normal 5, terse 10. */
static inline unsigned
mp_print_threshold(enum mp_verbosity verbosity)
{
    return verbosity == MP_VERBOSE ? 0 : verbosity == MP_NORMAL ? 5 : 10;
}

/* The same for people, in percent. */
static inline const char *
mp_print_threshold_text(enum mp_verbosity verbosity)
{
    return verbosity == MP_TERSE ? "1" : "0.5";
}

/* Does PART of WHOLE reach the threshold?  Nothing of nothing does. */
static inline bool
mp_print_shows(enum mp_verbosity verbosity, uint64_t part, uint64_t whole)
{
    return (long double)part * 1000 >= (long double)whole * mp_print_threshold(verbosity);
}

#endif
