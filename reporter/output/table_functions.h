/*
 * table_functions.h -- table 7: functions, by what is charged to them (see charge.h) and by what was
 * allocated while they ran; and table 8: the same functions, and types of objects.
 */
#ifndef MP_TABLE_FUNCTIONS_H
#define MP_TABLE_FUNCTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "print.h"
#include "reporter/base/error.h"
#include "reporter/graph/graph.h"
#include "reporter/profile/profile.h"

/* RAW: charge innermost functions.  GRAPH is PROFILE's. */
bool mp_table_flat(const struct mp_profile *profile, const struct mp_graph *graph,
                   const struct mp_print_options *options, bool raw, FILE *out,
                   struct mp_error *error);
bool mp_table_function_types(const struct mp_profile *profile,
                             const struct mp_print_options *options, bool raw, FILE *out,
                             struct mp_error *error);

#endif
