/* leaks_output.h -- what is lost, for people and for programs. */
#ifndef MP_LEAKS_OUTPUT_H
#define MP_LEAKS_OUTPUT_H

#include <stdio.h>

#include "leaks.h"
#include "reporter/limits/suppress.h"
#include "reporter/profile/view.h"

struct mp_leaks_options {
    struct mp_view_options view;
    uint32_t show;              /* bits 1u << enum mp_leak: whose chains are shown, */
    uint32_t most;              /* so many of each, */
    uint32_t chain;             /* with so many functions; 0: all */
    struct mp_suppressions *suppressions;       /* NULL: none; what they were used for is counted there */
};

/* Sums of all that is lost, and of what is not suppressed; chains, those with most bytes first.  False and *ERROR:
 * names are not to be had. */
bool mp_leaks_text(const struct mp_leaks *leaks, const struct mp_leaks_options *options, FILE *out,
                   struct mp_error *error);
bool mp_leaks_json(const struct mp_leaks *leaks, const struct mp_leaks_options *options, FILE *out,
                   struct mp_error *error);

/* The sums, as mprof run prints them. */
void mp_leaks_say(const struct mp_leaks *leaks, FILE *out);

/* Of LEAK, what is not suppressed. */
struct mp_leak_sum mp_leaks_left(const struct mp_leaks *leaks, enum mp_leak leak,
                                 struct mp_suppressions *suppressions);

#endif
