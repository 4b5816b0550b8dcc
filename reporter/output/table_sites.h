/*
 * table_sites.h -- table 6: types of objects, and the chains of callers on which they were allocated.
 */
#ifndef MP_TABLE_SITES_H
#define MP_TABLE_SITES_H

#include <stdbool.h>
#include <stdio.h>

#include "print.h"
#include "reporter/base/error.h"
#include "reporter/profile/profile.h"

/* Print it.  LISP: objects of Lisp only.  A chain is shown to as many functions as OPTIONS say, and
 * what differs further out is one row.  The text of a chain is made for the rows that are shown. */
bool mp_table_sites(const struct mp_profile *profile, const struct mp_print_options *options,
                    bool lisp, bool all_frames, FILE *out, struct mp_error *error);

#endif
