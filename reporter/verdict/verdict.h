/* SPDX-License-Identifier: MIT */
/*
 * verdict.h -- checks whether a profile exceeds its limits, and which chains are to blame.
 *
 * reporter/verdict/ owns limits, suppressions, and the verdicts that follow from them, and the search for lost blocks
 * (leaks.h). Limits have no figures of their own, but compare those of the profile. The commands check, run and leaks
 * call it.
 *
 * Figures of a sampled recording are estimates. A limit is exceeded if the whole 95 % interval is above it, and
 * uncertain if only a part of the interval is.
 *
 *     struct mp_verdict *verdict = mp_verdict(profile, &options, &error);
 *     for (uint32_t i = 0; i < verdict->n; i++)
 *         ... verdict->list[i].is, verdict->list[i].offenders ...
 *     mp_verdict_free(verdict);
 */
#ifndef MP_LIMITS_VERDICT_H
#define MP_LIMITS_VERDICT_H

#include "bounds.h"
#include "reporter/profile/estimate.h"
#include "reporter/view/view.h"
#include "suppress.h"

/* A chain of callers and its part of a figure. */
struct mp_offender {
    uint64_t value;             /* figure of the chain; by a baseline, its growth */
    uint64_t blocks;            /* number of blocks if the figure is kept bytes or blocks; else 0 */
    const char *chain;          /* text with the last callers and their lines */
    const char *function;       /* innermost function with a line, if possible one whose source file exists here */
    const char *file;           /* source file as in debug information; NULL if no line is known */
    uint32_t line;
};

struct mp_checked {
    const struct mp_bound *bound;
    enum mp_checked_is { MP_WITHIN, MP_OVER, MP_UNCERTAIN } is;
    struct mp_estimate value;
    uint64_t before;            /* value in the baseline, if has_before */
    bool has_before;
    bool nothing;               /* no function that allocates matches the bound's name */
    bool unknown;               /* neither does any other function of the program, as far as symbols are known */
    struct mp_offender *offenders;      uint32_t n_offenders;   /* by value, largest first; none if within */
    uint32_t left_out;          /* number of further offenders */
};

struct mp_verdict {
    const char *program;        /* program name */
    const char *path;           /* path of the program's file */
    const char *name;           /* distinguishes processes that are checked together: program name or more */
    bool several;               /* several processes are checked */
    const char *const *bad_frees;   /* lines about frees that are faults of the program, followed by NULL */
    struct mp_unrecorded_list unrecorded;       /* processes of the run that were not recorded */
    uint64_t dropped;           /* allocations that could not be recorded and are not counted */
    struct mp_checked *list;    uint32_t n, room;       /* in the order of the bounds */
    uint32_t n_over, n_uncertain;
    const struct mp_suppressions *suppressions; /* may be NULL */
    struct mp_arena *arena;     /* owns all of the above, except what belongs to the options */
};

/* A recording to compare with. */
struct mp_baseline {
    const char *name;           /* data file, human-readable */
    const struct mp_profile *profile;   /* symbolised */
};

/* Amount by which a figure may exceed that of the baseline. */
struct mp_tolerance {
    double percent;             /* of the baseline's figure */
    uint64_t more;              /* bytes or blocks in addition */
};

struct mp_verdict_options {
    struct mp_view_options view;
    const struct mp_bounds *bounds;
    struct mp_suppressions *suppressions;       /* count how often they are used; may be NULL */
    const struct mp_baseline *baselines;        uint32_t n_baselines;   /* the largest figure of all of them counts */
    struct mp_tolerance tolerance[MP_SORTS];
    uint32_t chain;             /* maximum functions of a chain, or 0 for all */
    uint32_t most;              /* maximum offenders of a limit */
};

/* Checks PROFILE against all bounds and the baselines. Bounds and suppressions of OPTIONS must outlive the result.
 * Returns NULL and sets *ERROR if the view cannot be created or a limited figure is unknown. */
struct mp_verdict *mp_verdict(const struct mp_profile *profile,
                              const struct mp_verdict_options *options, struct mp_error *error);
void mp_verdict_free(struct mp_verdict *verdict);

#endif
