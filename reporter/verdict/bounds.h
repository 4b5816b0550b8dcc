/* SPDX-License-Identifier: MIT */
/*
 * bounds.h -- limits of what a program may allocate, as users write them.
 *
 *     --max-kept=4K                   limit of the whole program
 *     --limit-function='^parse:kept=0'      limit of what matching functions and their callees allocate
 *
 * Sizes are in bytes; the suffixes K, M and G are units of 1024.
 */
#ifndef MP_LIMITS_BOUNDS_H
#define MP_LIMITS_BOUNDS_H

#include "reporter/base/arena.h"
#include "reporter/base/error.h"
#include "reporter/view/sort.h"

struct mp_bound {
    enum mp_figure figure;      /* a figure in mp_sorts, or MP_FIGURE_KEPT_BLOCKS */
    uint64_t most;              /* maximum, in bytes or blocks */
    const char *said;           /* the option as given: "--max-kept=4K" */
    const char *function;       /* regular expression, or NULL for the whole program */
};

struct mp_bounds {
    struct mp_bound *list;
    uint32_t n, room;
    struct mp_arena *arena;     /* not owned; contains all of the above */
};

/* Adds the limit --max-OF=TEXT. Each figure of mp_sorts can be limited. If TEXT is invalid, returns false and sets
 * *ERROR. */
bool mp_bounds_add(struct mp_bounds *bounds, enum mp_sort of, const char *text, struct mp_error *error);

/* Adds the limit of --no-leaks: no block may be kept. */
void mp_bounds_add_no_leaks(struct mp_bounds *bounds);

/* Adds the limits of --limit-function=TEXT, which is "REGEX:FIGURE=NUMBER,FIGURE=NUMBER ...". Function names may
 * contain colons. If TEXT is invalid, returns false and sets *ERROR. */
bool mp_bounds_add_function(struct mp_bounds *bounds, const char *text, struct mp_error *error);

#endif
