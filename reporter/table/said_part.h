/* SPDX-License-Identifier: MIT */
/* said_part.h -- sentences between the head and the tables that describe which part of a recording is shown. */
#ifndef MP_SAID_PART_H
#define MP_SAID_PART_H

#include <stdbool.h>
#include <stdio.h>

#include "reporter/profile/profile.h"
#include "reporter/view/filter.h"
#include "reporter/view/window.h"

/* Prints, for example, "through f, of --module=libc". FOCUS and FILTERS may be NULL, and FILTERS may be empty. */
void mp_part_print(const char *focus, const struct mp_filters *filters, FILE *out);

/* Returns what mp_part_print() prints. The caller frees the text. */
char *mp_part_text(const char *focus, const struct mp_filters *filters);

struct mp_said_part {
    const struct mp_profile *profile;   /* the whole recording */
    const struct mp_profile *view;      /* the part that is shown, see mp_view() */
    const char *focus;                  /* show only chains through this function, or NULL */
    const struct mp_filters *filters;   /* show only what satisfies all filters, or NULL */
    struct mp_counts undecided;         /* see mp_filter() */
    bool lisp;                          /* only Lisp objects */
};

/* Prints the sentences. Returns false and prints nothing if everything is shown. */
bool mp_said_part_print(const struct mp_said_part *part, FILE *out);

/* Prints only the sentences about the window of PART->view. Prints nothing if that has no window. */
void mp_said_window_print(const struct mp_said_part *part, FILE *out);

/* Returns a description of the figure COST: "bytes kept", or "bytes alive" in a view of WINDOW, which may be NULL. */
const char *mp_said_cost(const struct mp_window *window, enum mp_sort cost);

#endif
