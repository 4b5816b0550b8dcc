/*
 * filter.h -- a part of what was allocated: after the view, before the tables.
 */
#ifndef MP_FILTER_H
#define MP_FILTER_H

#include "profile.h"
#include "reporter/base/pattern.h"
#include "view.h"

enum mp_filter_by {
    MP_FILTER_FUNCTION,         /* chains with such a function */
    MP_FILTER_ROOT,             /* the same, and chains begin with the outermost of them */
    MP_FILTER_MODULE,           /* what functions of such a program or library allocate themselves */
    MP_FILTER_FILE,             /* what lines of such a source file allocate */
    MP_FILTER_THREAD,           /* threads with such a name, or, of those without, such a first function */
    MP_FILTER_SIZE,             /* blocks of these sizes */
    MP_FILTER_PROCESS,          /* of a merged profile: processes called so, NAME[PID] or by their data file; */
    MP_FILTER_PROGRAM,          /* of programs with such a path; */
    MP_FILTER_HOST,             /* on such hosts.  The view knows these, see process_part.h */
    MP_FILTERS
};

struct mp_filter {
    enum mp_filter_by by;
    const char *text;           /* as it was given; not owned */
    struct mp_pattern *pattern; /* but of MP_FILTER_SIZE, */
    uint32_t low, high;         /* where these are bytes */
};

#define MP_FILTERS_MOST 16u

struct mp_filters {
    struct mp_filter list[MP_FILTERS_MOST];
    unsigned n;
};

/* How a filter is called on the command line: "function". */
extern const char *const mp_filter_names[MP_FILTERS];

/* One more: TEXT is a regular expression (POSIX, extended), or of sizes N, N-M, N- or -M.  False and
 * *ERROR: it is neither, or there are too many. */
bool mp_filters_add(struct mp_filters *filters, enum mp_filter_by by, const char *text,
                    struct mp_error *error);
void mp_filters_free(struct mp_filters *filters);

/* Is it the view that has to know of a filter? */
static inline bool
mp_filter_is_of_view(enum mp_filter_by by)
{
    return by >= MP_FILTER_PROCESS;
}

/* Take the cells out of VIEW, which is one of PROFILE, that are not of all FILTERS, and their changes out of
 * its time line.  What is of a chain
 * that allocated both such sizes and others cannot be told apart: it is taken out, too, and its sum is
 * *UNDECIDED.  False and *ERROR: nothing is left. */
bool mp_filter(struct mp_profile *view, const struct mp_profile *profile,
               const struct mp_filters *filters, struct mp_counts *undecided,
               struct mp_error *error);

/* PROFILE as OPTIONS want it, see mp_view(), and of that what FILTERS want, see mp_filter(); NULL, or
 * none of them: all.  UNDECIDED may be NULL.  NULL and *ERROR: nothing is left. */
struct mp_profile *mp_filtered_view(const struct mp_profile *profile,
                                    const struct mp_view_options *options,
                                    const struct mp_filters *filters, struct mp_counts *undecided,
                                    struct mp_error *error);

#endif
