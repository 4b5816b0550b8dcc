/* dump_forms.h -- the forms of a dump in which no chain is written whole for each of its contexts, and what
 * all forms share. */
#ifndef MP_DUMP_FORMS_H
#define MP_DUMP_FORMS_H

#include <stdio.h>

#include "reporter/profile/tree.h"

/* What refers to something comes after it: functions, then chains, each with the number of its caller's
 * chain, and what was counted there. */
void mp_dump_ids(const struct mp_tree *tree, bool lisp, FILE *out);

/* Collapsed stacks: "outer;inner 123", a line for each chain that has any of what COST counts. */
void mp_dump_folded(const struct mp_tree *tree, enum mp_sort cost, FILE *out);

/* A line for each chain and bucket of lifetimes that is not empty: "32 BLOCKS BYTES outer;inner" of those that lived
 * less than 32 bytes, "-" in its place of the last one, which has no end. */
void mp_dump_lifetimes(const struct mp_tree *tree, FILE *out);

/* A function's name.  Control characters stand as \xNN in names already; here semicolons do, too, and
 * what looks like a part's number. */
void mp_dump_name(const char *name, FILE *out);

/* The figures of COUNTS, each followed by a blank, "-" where it is not known; of a sampled recording
 * with their intervals. */
void mp_dump_figures(const struct mp_profile *profile, const struct mp_counts *counts, FILE *out);

/* The same of objects of Lisp, and their type. */
void mp_dump_objects(const struct mp_profile *profile, const struct mp_tree_part *part, FILE *out);

#endif
