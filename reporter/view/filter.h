/* SPDX-License-Identifier: MIT */
/*
 * filter.h -- filters that restrict a view to some chains, source files, modules, threads, sizes or processes.
 * The order of all steps from a profile to a view is in view.h.
 */
#ifndef MP_FILTER_H
#define MP_FILTER_H

#include "reporter/base/pattern.h"
#include "reporter/profile/profile.h"
#include "view.h"

enum mp_filter_by {
    MP_FILTER_FUNCTION,         /* chains with a matching function */
    MP_FILTER_ROOT,             /* the same, but chains begin with the outermost matching function */
    MP_FILTER_MODULE,           /* allocations whose innermost frame is in a matching program or library */
    MP_FILTER_FILE,             /* allocations whose innermost line is in a matching source file */
    MP_FILTER_THREAD,           /* threads with a matching name, or, if unnamed, with a matching first function */
    MP_FILTER_SIZE,             /* blocks of these sizes */
    MP_FILTER_PROCESS,          /* merged profile: processes that match as NAME[PID] or by the name of their data
                                   file */
    MP_FILTER_PROGRAM,          /* merged profile: processes of programs with a matching path */
    MP_FILTER_HOST,             /* merged profile: processes on matching hosts */
    MP_FILTERS
};

struct mp_filter {
    enum mp_filter_by by;
    const char *text;           /* as given by the user; not owned */
    struct mp_pattern *pattern; /* unused for MP_FILTER_SIZE */
    uint32_t low, high;         /* MP_FILTER_SIZE: bytes, both included */
};

#define MP_FILTERS_MOST 16u

struct mp_filters {
    struct mp_filter list[MP_FILTERS_MOST];
    unsigned n;
};

/* Names of the filters on the command line, such as "function". */
extern const char *const mp_filter_names[MP_FILTERS];

/* Adds a filter. TEXT is a POSIX extended regular expression, or for MP_FILTER_SIZE one of N, N-M, N- and -M.
 * Returns false and fills *ERROR if TEXT is invalid or there are too many filters. */
bool mp_filters_add(struct mp_filters *filters, enum mp_filter_by by, const char *text,
                    struct mp_error *error);
void mp_filters_free(struct mp_filters *filters);

/* Returns whether BY selects processes. mp_view() applies such filters (process_part.h), and mp_filter() ignores
 * them. */
static inline bool
mp_filter_is_of_view(enum mp_filter_by by)
{
    return by >= MP_FILTER_PROCESS;
}

/* Sets *CHOSEN to a list in ARENA: for each of PROCESSES, whether it matches all FILTERS of processes. Sets it to NULL
 * if there is no such filter. Returns false and fills *ERROR if no process matches. */
bool mp_filters_choose(const struct mp_filters *filters, const struct mp_processes *processes,
                       struct mp_arena *arena, const bool **chosen, struct mp_error *error);

/* Removes from VIEW, a view of PROFILE, the cells that do not match all FILTERS, and their changes from the time
 * line. A cell may count both blocks of the wanted sizes and others, which cannot be separated. Such cells are
 * removed, too, and their sum is stored in *UNDECIDED. Returns false and fills *ERROR if nothing is left. */
bool mp_filter(struct mp_profile *view, const struct mp_profile *profile,
               const struct mp_filters *filters, struct mp_counts *undecided,
               struct mp_error *error);

/* Returns the view of PROFILE that OPTIONS describe (mp_view()), restricted by FILTERS (mp_filter()). FILTERS
 * may be NULL or empty. UNDECIDED may be NULL. Returns NULL and fills *ERROR if either step fails. */
struct mp_profile *mp_filtered_view(const struct mp_profile *profile,
                                    const struct mp_view_options *options,
                                    const struct mp_filters *filters, struct mp_counts *undecided,
                                    struct mp_error *error);

#endif
