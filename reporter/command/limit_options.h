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

/* What INPUT says of PROFILE, as NAMES name functions; the baseline is read for that.  It ends with
 * mp_check_end(). */
struct mp_check {
    struct mp_verdict *verdict;
    struct mp_profile *baseline;
};
bool mp_check_begin(struct mp_check *check, const struct mp_profile *profile,
                    struct mp_limit_input *input, const struct mp_view_input *names, uint32_t most,
                    struct mp_error *error);
void mp_check_end(struct mp_check *check);

#endif
