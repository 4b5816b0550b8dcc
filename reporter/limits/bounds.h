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
#include "reporter/profile/counts.h"

struct mp_bound {
    enum mp_figure figure;      /* a figure in mp_bounded, or MP_FIGURE_KEPT_BLOCKS */
    uint64_t most;              /* maximum, in bytes or blocks */
    const char *said;           /* the option as given: "--max-kept=4K" */
    const char *function;       /* regular expression, or NULL for the whole program */
};

struct mp_bounds {
    struct mp_bound *list;
    uint32_t n, room;
    struct mp_arena *arena;     /* not owned; contains all of the above */
};

/* A figure that can be limited: for functions by its name, for the whole program by an option. */
struct mp_bounded {
    const char *name;           /* in --limit-function: "kept" */
    const char *option;         /* for example "max-kept" */
    enum mp_figure figure;
    bool blocks;                /* counts blocks, not bytes */
    const char *what;           /* human-readable text that follows the number: "bytes are kept" */
};
#define MP_BOUNDED 5u
extern const struct mp_bounded mp_bounded[MP_BOUNDED];

/* Returns the entry of FIGURE. MP_FIGURE_KEPT_BLOCKS has the same entry as MP_FIGURE_KEPT. Returns NULL if FIGURE
 * cannot be limited. */
const struct mp_bounded *mp_bounded_of(enum mp_figure figure);

/* Adds the limit --OPTION=TEXT for the option of OF. If TEXT is invalid, returns false and sets *ERROR. */
bool mp_bounds_add(struct mp_bounds *bounds, const struct mp_bounded *of, const char *text,
                   struct mp_error *error);

/* Adds the limit of --no-leaks: no block may be kept. */
void mp_bounds_add_no_leaks(struct mp_bounds *bounds);

/* Adds the limits of --limit-function=TEXT, which is "REGEX:FIGURE=NUMBER,FIGURE=NUMBER ...". Function names may
 * contain colons. If TEXT is invalid, returns false and sets *ERROR. */
bool mp_bounds_add_function(struct mp_bounds *bounds, const char *text, struct mp_error *error);

#endif
