/* SPDX-License-Identifier: MIT */
#include "sort.h"
#include "window.h"
#include "reporter/profile/cells.h"

#include <string.h>

const struct mp_sort_kind mp_sorts[MP_SORTS] = {
    [MP_SORT_BYTES] = {"bytes", NULL, "bytes allocated", MP_FIGURE_BYTES, .by_size = true},
    [MP_SORT_OBJECTS] = {"allocs", "objects", "allocations", MP_FIGURE_ALLOCS, .by_size = true},
    [MP_SORT_KEPT] = {"kept", NULL, "bytes kept", MP_FIGURE_KEPT, .by_size = true},
    [MP_SORT_PEAK] = {"peak", NULL, "bytes alive at the peak", MP_FIGURE_PEAK_BYTES},
    [MP_SORT_TEMPORARY] = {"temporary", NULL, "temporary allocations", MP_FIGURE_TEMPORARY},
};

bool
mp_sort_named(const char *key, enum mp_sort *sort)
{
    for (size_t i = 0; i < MP_SORTS; i++) {
        const struct mp_sort_kind *kind = &mp_sorts[i];

        if (strcmp(kind->key, key) == 0 || (kind->other_key && strcmp(kind->other_key, key) == 0)) {
            *sort = (enum mp_sort)i;
            return true;
        }
    }
    return false;
}

/* A window has allocations even if the other tool did not record any, because live bytes count as allocated there. */
bool
mp_sort_check(const struct mp_profile *profile, enum mp_sort sort, struct mp_error *error)
{
    bool moment = profile->window && (sort == MP_SORT_BYTES || sort == MP_SORT_OBJECTS);

    return moment || !mp_is_unknown(profile, mp_sorts[sort].figure) ||
           mp_fail(error, MP_ERR_UNKNOWN, MP_NO_OFFSET, "%s, of what another tool wrote",
                   mp_sorts[sort].what);
}

bool
mp_sort_check_part(const struct mp_profile *view, enum mp_sort sort, struct mp_error *error)
{
    return sort != MP_SORT_TEMPORARY || !mp_window_lacks_temporary(view->window) ||
           mp_fail(error, MP_ERR_UNKNOWN, MP_NO_OFFSET, "%s, but between the start, checkpoints and the end of a "
                   "recording without samples", mp_sorts[sort].what);
}

struct mp_profile *
mp_sort_view(const struct mp_profile *view, enum mp_sort sort)
{
    struct mp_profile *sorted = mp_profile_new();

    mp_profile_share(sorted, view);
    sorted->cells = mp_arena_alloc(sorted->arena, view->n_cells * sizeof *sorted->cells);
    for (uint32_t i = 0; i < view->n_cells; i++) {
        sorted->cells[i] = view->cells[i];
        mp_cell_only(&sorted->cells[i], sort, sorted->arena);
    }
    return sorted;
}
