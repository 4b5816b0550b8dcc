/* SPDX-License-Identifier: MIT */
/* leaks_output.h -- writes lost blocks as text and JSON. */
#ifndef MP_LEAKS_OUTPUT_H
#define MP_LEAKS_OUTPUT_H

#include <stdio.h>

#include "leaks.h"
#include "reporter/view/view.h"
#include "suppress.h"

struct mp_leaks_options {
    struct mp_view_options view;
    uint32_t show;              /* bits 1u << enum mp_leak: classes whose chains are shown */
    uint32_t most;              /* maximum chains of each class */
    uint32_t chain;             /* maximum functions of a chain, or 0 for all */
    struct mp_suppressions *suppressions;       /* or NULL; it counts how often each is used */
};

/* Write the sums of all classes, and the chains that are not suppressed, sorted by bytes, largest first. Return false
 * and set *ERROR if the view with names cannot be created or memory is exhausted. */
bool mp_leaks_text(const struct mp_leaks *leaks, const struct mp_leaks_options *options, FILE *out,
                   struct mp_error *error);
bool mp_leaks_json(const struct mp_leaks *leaks, const struct mp_leaks_options *options, FILE *out,
                   struct mp_error *error);

/* Prints the sums of lost blocks at the end of mprof run. */
void mp_leaks_say(const struct mp_leaks *leaks, FILE *out);

/* Returns the sum of class LEAK without what is suppressed. */
struct mp_leak_sum mp_leaks_left(const struct mp_leaks *leaks, enum mp_leak leak,
                                 struct mp_suppressions *suppressions);

/* Writes to OUT why the search at the end of the process left no snapshot, and returns OUT. */
#define MP_LEAKS_ABSENCE_SIZE 192
const char *mp_leaks_absence(const struct mp_meta *meta, char out[static MP_LEAKS_ABSENCE_SIZE]);

#endif
