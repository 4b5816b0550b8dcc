/* table_leaks.h -- table 2 of the report: chains that allocated what was never freed. */
#ifndef MP_TABLE_LEAKS_H
#define MP_TABLE_LEAKS_H

#include <stdio.h>

#include "print.h"
#include "profile.h"

/* Print the chains that OPTIONS' verbosity asks for, each cut to OPTIONS->chain callers, and what
 * the others sum to.  ALL_FRAMES: show start-up frames too.  The profile must be symbolised. */
bool mp_table_leaks(const struct mp_profile *profile, const struct mp_print_options *options,
                    bool all_frames, FILE *out, struct mp_error *error);

#endif
