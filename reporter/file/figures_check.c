/* SPDX-License-Identifier: MIT */
#include "figures_check.h"

#include "reporter/profile/lifetimes.h"

struct sums {
    int64_t allocs, bytes, frees, freed;
};

/* Adds VALUE to *SUM. Returns false if the sum leaves the range of int64_t. */
static bool
add(int64_t *sum, uint64_t value)
{
    return value <= INT64_MAX && !__builtin_add_overflow(*sum, (int64_t)value, sum);
}

static const char *
add_counters(struct sums *sums, uint64_t allocs, uint64_t bytes, uint64_t frees, uint64_t freed)
{
    if (!add(&sums->allocs, allocs) || !add(&sums->bytes, bytes) || !add(&sums->frees, frees) ||
        !add(&sums->freed, freed))
        return "counters beyond all bounds";
    if (frees > allocs || freed > bytes)
        return "more is freed than was allocated";
    return NULL;
}

/* Checks that no difference in mp_cell_set_kept() and mp_counts_new() is negative. */
static bool
ages_fit(const struct mp_basic_counts *c, const struct mp_further_counts *ages)
{
    return ages->survived[1] <= ages->survived[0] && ages->survived[2] <= ages->survived[1] &&
           ages->aged_frees <= ages->survived[0] && ages->aged_freed <= ages->aged &&
           ages->aged_frees <= c->frees && ages->aged_freed <= c->freed &&
           ages->survived[0] - ages->aged_frees <= c->allocs - c->frees &&
           ages->aged - ages->aged_freed <= c->bytes - c->freed;
}

/* Returns what is wrong with the counters of CELL that few cells have, or NULL. */
static const char *
check_rest(const struct mp_cell *cell)
{
    const struct mp_basic_counts *c = &cell->counts;
    const struct mp_further_counts *further = &cell->rest->counts;

    if (further->reallocs > c->allocs || further->steps > further->reallocs)
        return "more is made by realloc than was allocated";
    if (further->larger > further->compared || further->compared > c->allocs || further->replaced > c->allocs ||
        further->replaced_bytes > c->bytes)
        return "more blocks are compared or replaced than were allocated";
    if (!mp_lifetimes_fit(cell->rest->lifetimes, c))
        return "more blocks have lifetimes than were freed";
    return ages_fit(c, further) ? NULL : MP_PROBLEM_AGES;
}

const char *
mp_check_kind(const struct mp_profile *profile, uint32_t kind)
{
    if (kind >= MP_KIND_LISP && kind < MP_KIND_END)
        return mp_profile_kind(profile, kind) ? NULL : "a cell's kind of object is not there";
    return kind < MP_KIND_C_COUNT ? NULL : "unknown kind of object";
}

const char *
mp_check_cells(const struct mp_profile *profile, uint32_t *index)
{
    struct sums sums = {0};
    int64_t up_bytes = 0, down_bytes = 0, up_blocks = 0, down_blocks = 0;
    int64_t temporary = 0, requested = 0;

    for (uint32_t i = 0; i < profile->n_cells; i++) {
        const struct mp_cell *cell = &profile->cells[i];
        const struct mp_basic_counts *c = &cell->counts;
        int64_t bytes = c->peak_bytes, blocks = c->peak_blocks;
        const char *problem = add_counters(&sums, c->allocs, c->bytes, c->frees, c->freed);

        *index = i;
        if (!problem)
            problem = mp_check_kind(profile, cell->kind);
        if (problem)
            return problem;
        if (!add(&temporary, c->temporary) || !add(&requested, mp_cell_further(cell)->requested))
            return "counters beyond all bounds";
        problem = cell->rest ? check_rest(cell) : NULL;
        if (problem)
            return problem;
        if (__builtin_add_overflow(bytes > 0 ? up_bytes : down_bytes, bytes,
                                   bytes > 0 ? &up_bytes : &down_bytes) ||
            __builtin_add_overflow(blocks > 0 ? up_blocks : down_blocks, blocks,
                                   blocks > 0 ? &up_blocks : &down_blocks))
            return "shares of the peak beyond all bounds";
    }
    return NULL;
}

const char *
mp_check_bins(const struct mp_profile *profile, uint32_t *index)
{
    struct sums sums = {0};

    for (uint32_t i = 0; i < MP_BINS; i++) {
        const struct mp_bin *bin = &profile->bins[i];
        const char *problem = add_counters(&sums, bin->allocs, bin->bytes, bin->frees, bin->freed);

        *index = i;
        if (problem)
            return problem;
    }
    return NULL;
}
