/*
 * checks.h -- limits of several processes, and what came of them: what mprof check and mprof run --check share.
 *
 *     struct mp_checks checks = mp_checks(&output, quiet);
 *     mp_checks_add(&checks, profile, file, &limits, &names, most, &error);     // of each; it can go then
 *     mp_checks_show(&checks, stdout, &error);
 *     ... mp_checks_over(&checks) ...
 *     mp_checks_free(&checks);
 */
#ifndef MP_COMMAND_CHECKS_H
#define MP_COMMAND_CHECKS_H

#include "limit_options.h"

/* What is written for what runs tests: the input of the argp child mp_checks_argp. */
struct mp_checks_output {
    const char *junit, *gitlab; /* files; NULL: no */
    bool github;
};

extern const struct argp mp_checks_argp;

static inline bool
mp_checks_output_any(const struct mp_checks_output *output)
{
    return output->junit || output->gitlab || output->github;
}

struct mp_checks {
    const struct mp_checks_output *output;
    struct mp_checks_one {
        struct mp_limit_input limits;   /* that the verdict refers to */
        struct mp_verdict *verdict;
        const char *file;
    } *list;
    uint32_t n, room;
    bool quiet;                 /* say only what is over its limit */
    struct mp_arena *arena;
};

struct mp_checks mp_checks(const struct mp_checks_output *output, bool quiet);
void mp_checks_free(struct mp_checks *checks);

/* Check PROFILE, of FILE, against LIMITS, which are taken over, as NAMES name functions; show MOST chains of each.
 * False and *ERROR: that cannot be told. */
bool mp_checks_add(struct mp_checks *checks, const struct mp_profile *profile, const char *file,
                   struct mp_limit_input *limits, const struct mp_view_input *names, uint32_t most,
                   struct mp_error *error);

/* Say on OUT what came of each, and write the files.  Where there are several, each says whose it is. */
bool mp_checks_show(const struct mp_checks *checks, FILE *out, struct mp_error *error);

/* Is any over a limit? */
bool mp_checks_over(const struct mp_checks *checks);

#endif
