/* table_types.h -- table 1 for Lisp: allocation by the type of the objects. */
#ifndef MP_TABLE_TYPES_H
#define MP_TABLE_TYPES_H

#include <stdio.h>

#include "print.h"
#include "reporter/profile/profile.h"

/* Print the types that OPTIONS' verbosity asks for, classes below the built-in type that they are
 * of, and what the others sum to. */
bool mp_table_types(const struct mp_profile *profile, const struct mp_print_options *options,
                    FILE *out, struct mp_error *error);

#endif
