/*
 * verdict.h -- does a profile keep to its limits, and if not, by whose fault?
 *
 * Of a sampled recording figures are estimates: then a limit is exceeded if all of the 95 % interval is above,
 * and uncertain if only a part of it is.
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
#include "reporter/profile/view.h"
#include "suppress.h"

/* A chain of callers with what counts of it. */
struct mp_offender {
    uint64_t value;             /* or, of a limit by a baseline, by how much it grew */
    uint64_t blocks;            /* of what is kept: in so many blocks; else 0 */
    const char *chain;          /* text, the last callers; functions have their lines */
    const char *function;       /* the innermost with a line, in a source file that is there, if there is one; */
    const char *file;           /* that as debug information has it; NULL: no line is known */
    uint32_t line;
};

struct mp_checked {
    const struct mp_bound *bound;
    enum mp_checked_is { MP_WITHIN, MP_OVER, MP_UNCERTAIN } is;
    struct mp_estimate value;
    uint64_t before;            /* by a baseline: what it was; */
    bool has_before;
    bool nothing;               /* no function that allocates has such a name, */
    bool unknown;               /* nor has any other function of the program, as far as its symbols are known */
    struct mp_offender *offenders;      uint32_t n_offenders;   /* those with most first; none if it is
                                                                   within */
    uint32_t left_out;          /* how many more there are */
};

struct mp_verdict {
    const char *program;        /* as people call it */
    const char *path;           /* its file */
    const char *name;           /* of the process among others that are checked with it: the program, or more */
    bool several;               /* there are others */
    const char *const *bad_frees;   /* lines that tell of frees which are faults of the program; NULL behind the last */
    uint64_t dropped;           /* allocations that were not recorded, and so not counted */
    struct mp_checked *list;    uint32_t n, room;       /* in the order of the bounds */
    uint32_t n_over, n_uncertain;
    const struct mp_suppressions *suppressions; /* NULL: none */
    struct mp_arena *arena;     /* owns all of the above, but for what the options have */
};

struct mp_verdict_options {
    struct mp_view_options view;
    const struct mp_bounds *bounds;
    struct mp_suppressions *suppressions;       /* NULL: none; what they were used for is counted there */
    const struct mp_profile *baseline;  /* symbolised; NULL: none */
    const char *baseline_name;  /* for people */
    double tolerance;           /* percent by which a figure may be above that of the baseline */
    uint32_t chain;             /* functions of a chain; 0: all */
    uint32_t most;              /* offenders of a limit */
};

/* NULL and *ERROR: there is no such view.  Bounds and suppressions of OPTIONS must
 * outlive the result. */
struct mp_verdict *mp_verdict(const struct mp_profile *profile,
                              const struct mp_verdict_options *options, struct mp_error *error);
void mp_verdict_free(struct mp_verdict *verdict);

#endif
