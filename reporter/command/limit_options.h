/*
 * limit_options.h -- the options that say what a program may allocate at most: an argp child, as view_options.h
 * has it, for mprof check and mprof run.  Its input is a struct mp_limit_input.
 */
#ifndef MP_COMMAND_LIMIT_OPTIONS_H
#define MP_COMMAND_LIMIT_OPTIONS_H

#include <argp.h>

#include "reporter/limits/verdict.h"
#include "view_options.h"

struct mp_limit_input {
    struct mp_bounds bounds;
    struct mp_suppressions suppressions;
    const char *baseline;       /* a data file; NULL: none */
    double tolerance;           /* percent */
    bool allow_killed;          /* judge also what does not hold a whole run */
    bool given;                 /* at least one of the options was */
    struct mp_arena *arena;     /* owns what the options were copied to */
};

/* An input without limits; freed by mp_limit_input_free(). */
void mp_limit_input_init(struct mp_limit_input *input);
void mp_limit_input_free(struct mp_limit_input *input);

extern const struct argp mp_limit_argp;

/* Are there limits? */
static inline bool
mp_limit_input_any(const struct mp_limit_input *input)
{
    return input->bounds.n > 0 || input->baseline;
}

/* Add the limits of MORE to those of TO; where MORE has a baseline, it counts. */
void mp_limit_input_add(struct mp_limit_input *to, const struct mp_limit_input *more);

/* Does PROFILE, of FILE, hold whole runs of its processes, or does INPUT allow others?  A run that was killed, or that
 * is not recorded completely, can pass its limits only because something is missing.  False and *ERROR: it does not. */
bool mp_limit_complete(const struct mp_limit_input *input, const struct mp_profile *profile, const char *file,
                       struct mp_error *error);

/* What INPUT says of PROFILE, as NAMES name functions; the baseline is read for that.  The profile may go before the
 * verdict, INPUT may not.  NULL and *ERROR: that cannot be told. */
struct mp_verdict *mp_limit_verdict(struct mp_limit_input *input, const struct mp_profile *profile,
                                    const struct mp_view_input *names, uint32_t most, struct mp_error *error);

#endif
