/* SPDX-License-Identifier: MIT */
#include "bins.h"

static uint32_t
bin_of(const struct mp_cell *cell)
{
    if (cell->size_min > MP_BIN_LARGE - 1 && cell->size_min <= cell->size_max)
        return MP_BIN_LARGE;
    return cell->size_min == cell->size_max ? cell->size_min : MP_BINS + cell->kind;
}

const char *
mp_bin_name(unsigned bin)
{
    static const char *const classes[MP_KIND_C_COUNT] = {
        [MP_KIND_SMALL] = "<= 32", [MP_KIND_MEDIUM] = "<= 256", [MP_KIND_LARGE] = "<= 2048",
        [MP_KIND_EXTRA] = "> 2048",
    };

    return bin >= MP_BINS ? classes[bin - MP_BINS] : bin == MP_BIN_LARGE ? "> 1024" : NULL;
}

void
mp_bins_of_cells(struct mp_profile *view)
{
    view->cell_bins = mp_arena_alloc(view->arena, MP_CELL_BINS * sizeof *view->cell_bins);
    for (uint32_t i = 0; i < view->n_cells; i++)
        if (view->cells[i].kind < MP_KIND_C_COUNT)
            mp_counts_add_cell(&view->cell_bins[bin_of(&view->cells[i])], &view->cells[i]);
}

struct mp_counts
mp_bin_counts(const struct mp_profile *view, unsigned bin)
{
    const struct mp_bin *of;
    struct mp_counts counts;

    if (view->cell_bins)
        return view->cell_bins[bin];
    if (bin >= MP_BINS)
        return (struct mp_counts){0};
    of = &view->bins[bin];
    if (view->bin_counts)
        counts = view->bin_counts[bin];
    else
        counts = (struct mp_counts){.frees = of->frees, .freed = of->freed,
                                    .kept = of->bytes > of->freed ? of->bytes - of->freed : 0};
    counts.allocs = of->allocs;
    counts.bytes = of->bytes;
    return counts;
}
