/*
 * compare.h -- the differences of a join, for people and for programs: what `mprof diff` prints.
 *
 * Head, figures of the sides, sentences, tables; every form has the same parts.
 */
#ifndef MP_COMPARE_H
#define MP_COMPARE_H

#include <stdio.h>

#include "changes.h"
#include "reporter/base/error.h"
#include "reporter/output/print.h"

struct mp_compare_options {
    struct mp_print_options print;      /* `sort` is what is compared */
    unsigned by;                /* bits 1 << enum mp_changes_by */
    const char *part;           /* of which part, for people; "": of all */
};

bool mp_compare_text(const struct mp_join *join, const struct mp_compare_options *options, FILE *out,
                     struct mp_error *error);

/* One object, see doc/mprof-diff.schema.json. */
bool mp_compare_json(const struct mp_join *join, const struct mp_compare_options *options, FILE *out,
                     struct mp_error *error);

#endif
