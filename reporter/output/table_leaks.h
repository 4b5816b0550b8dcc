/* table_leaks.h -- table 2 of the report: chains that allocated what was never freed; of Lisp,
 * what survived a collection and still lives. */
#ifndef MP_TABLE_LEAKS_H
#define MP_TABLE_LEAKS_H

#include <stdio.h>

#include "print.h"
#include "reporter/profile/profile.h"

struct mp_leaks_wanted {
    bool all_frames;            /* show start-up frames too */
    bool lisp;                  /* objects of Lisp, not blocks of malloc */
};

/* Print the chains that OPTIONS' verbosity asks for, each cut to OPTIONS->chain callers, and what
 * the others sum to.  The profile must be symbolised. */
bool mp_table_leaks(const struct mp_profile *profile, const struct mp_print_options *options,
                    struct mp_leaks_wanted wanted, FILE *out, struct mp_error *error);

#endif
