/* table_bins.h -- table 1 of the report: allocation by the size of the blocks. */
#ifndef MP_TABLE_BINS_H
#define MP_TABLE_BINS_H

#include <stdio.h>

#include "print.h"
#include "reporter/profile/profile.h"

/* Print the bins that OPTIONS' verbosity asks for, and what the others sum to. */
bool mp_table_bins(const struct mp_profile *profile, const struct mp_print_options *options,
                   FILE *out, struct mp_error *error);

#endif
