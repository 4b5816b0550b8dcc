/* SPDX-License-Identifier: MIT */
/*
 * checks.h -- checks the limits of several processes and prints the results, for mprof check and mprof run --check.
 *
 *     struct mp_checks checks = mp_checks(&output);
 *     mp_checks_add(&checks, profile, file, &limits, &names, most, &error);     // for each profile
 *     mp_checks_show(&checks, stdout, &error);
 *     ... mp_checks_status(&checks) ...
 *     mp_checks_free(&checks);
 */
#ifndef MP_COMMAND_CHECKS_H
#define MP_COMMAND_CHECKS_H

#include "limit_options.h"

/* How results are reported to test runners. Their options are mp_checks_options. */
struct mp_checks_output {
    const char *junit, *gitlab; /* output files; NULL if not requested */
    bool github;
    unsigned status;            /* exit status if a limit is exceeded; 0 if not given, which means 1 */
};

extern const struct mp_option mp_checks_options[];

struct mp_checks {
    const struct mp_checks_output *output;
    struct mp_checks_one {
        struct mp_limit_input limits;   /* limits that the verdict refers to */
        struct mp_verdict *verdict;
        const char *file;
    } *list;
    uint32_t n, room;
    struct mp_arena *arena;
};

struct mp_checks mp_checks(const struct mp_checks_output *output);
void mp_checks_free(struct mp_checks *checks);

/* Checks PROFILE of FILE against LIMITS, which CHECKS owns from now on. NAMES determine the names of functions, and
 * MOST is the maximum number of chains shown for each limit. Returns false and fills *ERROR if the limits cannot be
 * checked. */
bool mp_checks_add(struct mp_checks *checks, const struct mp_profile *profile, const char *file,
                   struct mp_limit_input *limits, const struct mp_view_input *names, uint32_t most,
                   struct mp_error *error);

/* Prints the results to OUT and writes the output files. With --quiet, does not print limits that are kept. If there
 * are several processes, each result names its process. On failure returns false and fills *ERROR. */
bool mp_checks_show(const struct mp_checks *checks, FILE *out, struct mp_error *error);

/* Returns the exit status: 0 if no limit is exceeded, else that of --error-exitcode. */
int mp_checks_status(const struct mp_checks *checks);

#endif
