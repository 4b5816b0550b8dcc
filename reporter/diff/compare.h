/* SPDX-License-Identifier: MIT */
/*
 * compare.h -- the differences of a join as text and JSON: the output of `mprof diff`.
 *
 * reporter/diff/ owns the differences of runs that reporter/unite/ joined, and the tables and sentences about them.
 * It reads profiles that its caller has loaded. Only mprof diff and the page call it.
 *
 * Both formats contain a head, the totals of the sides, sentences, and tables.
 */
#ifndef MP_COMPARE_H
#define MP_COMPARE_H

#include <stdio.h>

#include "changes.h"
#include "reporter/base/error.h"
#include "reporter/table/head.h"
#include "reporter/table/print.h"
#include "sentences.h"

struct mp_compare_options {
    struct mp_print_options print;      /* `sort` is the figure that is compared */
    unsigned by;                /* bits 1 << enum mp_changes_by */
    const char *part;           /* the part that is compared, in words; "" if everything */
};

/* What all output formats contain. */
struct mp_comparison {
    const struct mp_join *join;
    const struct mp_compare_options *options;
    struct mp_changes *changes[MP_CHANGES_BY];  /* NULL if neither requested nor needed by a sentence */
    struct mp_sentence sentences[MP_SENTENCES];
    unsigned n_sentences;
    struct mp_head *head;
};

/* Compares the sides of JOIN. JOIN and OPTIONS must outlive the result, which the caller frees with
 * mp_comparison_free(). */
struct mp_comparison mp_comparison(const struct mp_join *join, const struct mp_compare_options *options);
void mp_comparison_free(struct mp_comparison *comparison);

bool mp_compare_text(const struct mp_comparison *comparison, FILE *out, struct mp_error *error);

/* Writes one JSON object, see doc/mprof-diff.schema.json. */
bool mp_compare_json(const struct mp_comparison *comparison, FILE *out, struct mp_error *error);

#endif
