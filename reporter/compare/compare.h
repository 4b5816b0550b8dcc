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
#include "reporter/output/head.h"
#include "reporter/output/print.h"
#include "sentences.h"

struct mp_compare_options {
    struct mp_print_options print;      /* `sort` is what is compared */
    unsigned by;                /* bits 1 << enum mp_changes_by */
    const char *part;           /* of which part, for people; "": of all */
};

/* What all forms are made of. */
struct mp_comparison {
    const struct mp_join *join;
    const struct mp_compare_options *options;
    struct mp_changes *changes[MP_CHANGES_BY];  /* NULL: not wanted, and no sentence needs it */
    struct mp_sentence sentences[MP_SENTENCES];
    unsigned n_sentences;
    struct mp_head *head;
};

/* JOIN and OPTIONS must outlive it; freed by mp_comparison_free(). */
struct mp_comparison mp_comparison(const struct mp_join *join, const struct mp_compare_options *options);
void mp_comparison_free(struct mp_comparison *comparison);

bool mp_compare_text(const struct mp_comparison *comparison, FILE *out, struct mp_error *error);

/* One object, see doc/mprof-diff.schema.json. */
bool mp_compare_json(const struct mp_comparison *comparison, FILE *out, struct mp_error *error);

#endif
