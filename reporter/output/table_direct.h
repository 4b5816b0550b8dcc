/*
 * table_direct.h -- table 3: the functions that allocate, what they allocate and what they keep.
 *
 * The fields are those of the 1988 manual page; only the functions' own allocations count here.
 * Rows of a share of the bytes below the threshold of the verbosity are left out, and a last line
 * says how many and how much.
 */
#ifndef MP_TABLE_DIRECT_H
#define MP_TABLE_DIRECT_H

#include <stdio.h>

#include "print.h"
#include "reporter/graph/reduce.h"

/* False: no memory, or OUT failed. */
bool mp_table_direct_print(FILE *out, const struct mp_reduced *reduced,
                           const struct mp_print_options *options, struct mp_error *error);

#endif
