/* SPDX-License-Identifier: MIT */
/*
 * limit_options.h -- the options of mprof check and mprof run that set limits for a program's allocations.
 * They are a table for the `groups` of a struct mp_command and are stored in a struct mp_limit_input.
 */
#ifndef MP_COMMAND_LIMIT_OPTIONS_H
#define MP_COMMAND_LIMIT_OPTIONS_H

#include "reporter/verdict/verdict.h"
#include "view_options.h"

struct mp_limit_input {
    struct mp_bounds bounds;
    struct mp_suppressions suppressions;
    const char **baselines;     uint32_t n_baselines, baseline_room;    /* data files to compare with */
    struct mp_tolerance tolerance[MP_SORTS];
    bool allow_killed;          /* check even a profile that does not contain a whole run */
    struct mp_arena *arena;     /* memory of copied arguments */
};

/* Initialises INPUT without limits. Freed by mp_limit_input_free(). */
void mp_limit_input_init(struct mp_limit_input *input);
void mp_limit_input_free(struct mp_limit_input *input);

extern const struct mp_option mp_limit_options[];

/* Parser function of --suppressions. Reads the file into the struct mp_suppressions. */
bool mp_parse_suppressions(const struct mp_option *option, char *text, void *to);

/* Returns whether INPUT has limits. */
static inline bool
mp_limit_input_any(const struct mp_limit_input *input)
{
    return input->bounds.n > 0 || input->n_baselines > 0;
}

/* Adds the limits of MORE to TO. If MORE has baselines, they replace TO's. */
void mp_limit_input_add(struct mp_limit_input *to, const struct mp_limit_input *more);

/* Checks that PROFILE of FILE contains whole runs of its processes, unless INPUT allows others. A run that was
 * killed or is not recorded completely might pass only because something is missing. Returns false and fills
 * *ERROR if not. */
bool mp_limit_complete(const struct mp_limit_input *input, const struct mp_profile *profile, const char *file,
                       struct mp_error *error);

/* Checks PROFILE against INPUT, with the names of functions that NAMES determine. Reads the baselines. MOST is the
 * maximum number of chains for each limit. The profile may be freed before the verdict, but INPUT may not. Returns
 * NULL and fills *ERROR if a baseline cannot be read or the limits cannot be checked. */
struct mp_verdict *mp_limit_verdict(struct mp_limit_input *input, const struct mp_profile *profile,
                                    const struct mp_view_input *names, uint32_t most, struct mp_error *error);

#endif
