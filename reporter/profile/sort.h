/*
 * sort.h -- what rows can be sorted by, and a profile as if nothing else had been allocated.
 */
#ifndef MP_SORT_H
#define MP_SORT_H

#include "profile.h"

struct mp_sort_kind {
    const char *key;            /* as on the command line */
    const char *other_key;      /* the same; or NULL */
    const char *what;           /* for people: "bytes kept" */
    enum mp_figure figure;
    bool blocks;                /* it counts blocks, not bytes */
    bool by_size;               /* it is known of each size of blocks, not of chains only */
};

extern const struct mp_sort_kind mp_sorts[MP_SORTS];    /* by enum mp_sort */

/* What is called KEY on the command line; false: nothing. */
bool mp_sort_named(const char *key, enum mp_sort *sort);

/* Can PROFILE be sorted by SORT?  False and *ERROR: what another tool wrote does not tell it. */
bool mp_sort_check(const struct mp_profile *profile, enum mp_sort sort, struct mp_error *error);

/* Can VIEW, which may be of a part of the time, be sorted by SORT, as its profile can? */
bool mp_sort_check_part(const struct mp_profile *view, enum mp_sort sort, struct mp_error *error);

/* VIEW with such counts in all cells.  The caller frees it with mp_profile_free(); VIEW must outlive
 * it.  Of a peak, cells of less than 0 count as 0. */
struct mp_profile *mp_sort_view(const struct mp_profile *view, enum mp_sort sort);

#endif
