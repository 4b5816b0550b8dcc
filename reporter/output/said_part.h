/* said_part.h -- what part of a recording is shown, in sentences between the head and the tables. */
#ifndef MP_SAID_PART_H
#define MP_SAID_PART_H

#include <stdbool.h>
#include <stdio.h>

#include "reporter/profile/filter.h"
#include "reporter/profile/profile.h"
#include "reporter/profile/window.h"

struct mp_said_part {
    const struct mp_profile *profile;   /* all of it */
    const struct mp_profile *view;      /* what is shown, see mp_view() */
    const char *focus;                  /* only chains through this function; or NULL */
    const struct mp_filters *filters;   /* and only what all of these want; NULL: there are none */
    struct mp_counts undecided;         /* see mp_filter() */
    bool lisp;                          /* objects of Lisp only */
};

/* Say it.  False: all is shown, and nothing was printed. */
bool mp_said_part_print(const struct mp_said_part *part, FILE *out);

/* Only what is to be said of a window, if PART->view is one; else nothing. */
void mp_said_window_print(const struct mp_said_part *part, FILE *out);

/* What figures of COST are, for people: "bytes kept", or, of a view of WINDOW, "bytes alive". */
const char *mp_said_cost(const struct mp_window *window, enum mp_sort cost);

#endif
