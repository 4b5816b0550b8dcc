/*
 * bounds.h -- what a program may allocate at most: limits of figures, as users write them.
 *
 *     --max-kept=4K                   the whole program
 *     --function='^parse:kept=0'      what functions of such a name allocate, and what they call
 *
 * Sizes are bytes, with K, M or G for units of 1024.
 */
#ifndef MP_LIMITS_BOUNDS_H
#define MP_LIMITS_BOUNDS_H

#include "reporter/base/arena.h"
#include "reporter/base/error.h"
#include "reporter/profile/counts.h"

struct mp_bound {
    enum mp_figure figure;      /* one of those in mp_bounded */
    uint64_t most;              /* bytes, or blocks */
    const char *said;           /* as it was given: "--max-kept=4K" */
    const char *function;       /* a regular expression; NULL: of the whole program */
};

struct mp_bounds {
    struct mp_bound *list;
    uint32_t n, room;
    struct mp_arena *arena;     /* not owned; has all of the above */
};

/* What can be limited: by a name, for the whole program by an option. */
struct mp_bounded {
    const char *name;           /* in --function: "kept" */
    const char *option;         /* "max-kept" */
    enum mp_figure figure;
    bool blocks;                /* it counts blocks, not bytes */
    const char *what;           /* for people, behind the figure: "bytes are kept" */
};
#define MP_BOUNDED 5u
extern const struct mp_bounded mp_bounded[MP_BOUNDED];

/* That one of FIGURE; of MP_FIGURE_KEPT_BLOCKS, that of what is kept. */
const struct mp_bounded *mp_bounded_of(enum mp_figure figure);

/* TEXT as bytes, or as a number without units if BLOCKS; false: it is neither. */
bool mp_bound_number(const char *text, bool blocks, uint64_t *number);

/* --OPTION=TEXT, an option of mp_bounded. */
bool mp_bounds_add(struct mp_bounds *bounds, const struct mp_bounded *of, const char *text,
                   struct mp_error *error);

/* --no-leaks: no block is kept. */
void mp_bounds_add_no_leaks(struct mp_bounds *bounds);

/* --function=TEXT, "REGEX:FIGURE=NUMBER,FIGURE=NUMBER ..."; the name of a function may have colons. */
bool mp_bounds_add_function(struct mp_bounds *bounds, const char *text, struct mp_error *error);

#endif
