#include "sort.h"
#include "window.h"

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

static uint64_t
not_negative(int64_t number)
{
    return number > 0 ? (uint64_t)number : 0;
}

/* Returns counts of BLOCKS and BYTES, all kept, with the variances OF_BLOCKS and OF_BYTES. */
static struct mp_counts
all_kept(const struct mp_counts *counts, uint64_t blocks, float of_blocks, uint64_t bytes,
         float of_bytes)
{
    return (struct mp_counts){
        .allocs = blocks, .bytes = bytes, .kept = bytes, .kept_blocks = blocks,
        .spread = {.kept = of_bytes, .kept_blocks = of_blocks, .most = counts->spread.most,
                   .most_bytes = counts->spread.most_bytes}};
}

/* Does what all_kept() does for a figure that counts blocks, and sets the bytes to the same number. */
static struct mp_counts
blocks_kept(const struct mp_counts *counts, uint64_t blocks, float of_blocks)
{
    struct mp_counts all = all_kept(counts, blocks, of_blocks, blocks, of_blocks);

    all.spread.most_bytes = all.spread.most;
    return all;
}

static struct mp_counts
at_peak(const struct mp_counts *counts)
{
    const struct mp_spread *spread = &counts->spread;
    struct mp_counts all = all_kept(counts, not_negative(counts->peak_blocks), spread->peak_blocks,
                                    not_negative(counts->peak_bytes), spread->peak_bytes);

    all.peak_blocks = (int64_t)all.allocs;
    all.peak_bytes = (int64_t)all.bytes;
    all.spread.peak_blocks = spread->peak_blocks;
    all.spread.peak_bytes = spread->peak_bytes;
    return all;
}

/* Returns COUNTS as if only the blocks or bytes of SORT had been allocated and all were kept. `bytes` is then
 * the value of the figure, even if it counts blocks. */
static struct mp_counts
sort_counts(const struct mp_counts *counts, enum mp_sort sort)
{
    const struct mp_spread *spread = &counts->spread;

    switch (sort) {
    case MP_SORT_OBJECTS:
        return blocks_kept(counts, counts->allocs, spread->frees + spread->kept_blocks);
    case MP_SORT_KEPT:                  /* in a window: the growth */
        return all_kept(counts, not_negative((int64_t)counts->kept_blocks), spread->kept_blocks,
                        not_negative((int64_t)counts->kept), spread->kept);
    case MP_SORT_PEAK:
        return at_peak(counts);
    case MP_SORT_TEMPORARY:
        return blocks_kept(counts, counts->temporary, spread->temporary);
    default:
        return *counts;
    }
}

struct mp_profile *
mp_sort_view(const struct mp_profile *view, enum mp_sort sort)
{
    struct mp_profile *sorted = mp_profile_new();

    mp_profile_share(sorted, view);
    sorted->cells = mp_arena_alloc(sorted->arena, view->n_cells * sizeof *sorted->cells);
    for (uint32_t i = 0; i < view->n_cells; i++) {
        sorted->cells[i] = view->cells[i];
        sorted->cells[i].counts = sort_counts(&view->cells[i].counts, sort);
    }
    return sorted;
}
