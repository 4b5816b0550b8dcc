/* dump_forms.h -- what the formats of text for scripts share, and those that have a function for each line. */
#ifndef MP_DUMP_FORMS_H
#define MP_DUMP_FORMS_H

#include <stdio.h>

#include "reporter/profile/tree.h"

/* Writes functions, chains and figures once each. A chain is written as its number, the number of its caller's chain
 * and its function. Everything is written before it is referred to. */
void mp_dump_ids(const struct mp_tree *tree, bool lisp, FILE *out);

/* Writes collapsed stacks, "outer;inner 123", one line for each chain for which COST is not 0. */
void mp_dump_folded(const struct mp_tree *tree, enum mp_sort cost, FILE *out);

/* Writes a line for each chain and each non-empty bucket of lifetimes: "32 BLOCKS BYTES outer;inner" for blocks that
 * lived less than 32 bytes of allocation. The last bucket has no upper limit and is written as "-". */
void mp_dump_lifetimes(const struct mp_tree *tree, FILE *out);

/* Writes a function's name. Control characters are already escaped as \xNN. This function also escapes semicolons and
 * a beginning that looks like the number of a part. */
void mp_dump_name(const char *name, FILE *out);

/* Writes the figures of COUNTS, each followed by a blank, and "-" if a figure is unknown. In a sampled recording,
 * figures include their intervals. */
void mp_dump_figures(const struct mp_profile *profile, const struct mp_counts *counts, FILE *out);

/* Writes the figures and the type of Lisp objects, in the same format. */
void mp_dump_objects(const struct mp_profile *profile, const struct mp_tree_part *part, FILE *out);

#endif
