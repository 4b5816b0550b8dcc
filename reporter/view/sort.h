/* SPDX-License-Identifier: MIT */
/*
 * sort.h -- figures by which rows can be sorted, and profiles reduced to one figure.
 */
#ifndef MP_SORT_H
#define MP_SORT_H

#include "reporter/profile/profile.h"

struct mp_sort_kind {
    const char *key;            /* name on the command line */
    const char *other_key;      /* alternative name; or NULL */
    const char *what;           /* human-readable: "bytes kept" */
    enum mp_figure figure;
    bool by_size;               /* whether it is known by block size; otherwise by chain only */
};

extern const struct mp_sort_kind mp_sorts[MP_SORTS];    /* indexed by enum mp_sort */

/* Returns whether rows sorted by SORT are sorted by blocks; otherwise bytes. */
static inline bool
mp_sort_is_blocks(enum mp_sort sort)
{
    return !mp_figures[mp_sorts[sort].figure].bytes;
}

/* Finds the figure called KEY on the command line. Returns false if KEY is not a figure. */
bool mp_sort_named(const char *key, enum mp_sort *sort);

/* Returns whether PROFILE can be sorted by SORT. If not, because the tool that wrote it did not record the
 * figure, fills *ERROR. */
bool mp_sort_check(const struct mp_profile *profile, enum mp_sort sort, struct mp_error *error);

/* Returns whether VIEW, of a profile that has the figure SORT, has it, too. If its window lacks the figure, fills
 * *ERROR. */
bool mp_sort_check_part(const struct mp_profile *view, enum mp_sort sort, struct mp_error *error);

/* Returns a copy of VIEW whose cells count only the figure SORT, as if nothing else had been allocated. Negative
 * peaks of cells become 0. The caller frees it with mp_profile_free(). VIEW must outlive it. */
struct mp_profile *mp_sort_view(const struct mp_profile *view, enum mp_sort sort);

#endif
