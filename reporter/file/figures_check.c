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

/* Checks that no difference in mp_counts_set_kept() and mp_counts_new() is negative. */
static bool
ages_fit(const struct mp_counts *c)
{
    return c->survived[1] <= c->survived[0] && c->survived[2] <= c->survived[1] &&
           c->aged_frees <= c->survived[0] && c->aged_freed <= c->aged &&
           c->aged_frees <= c->frees && c->aged_freed <= c->freed &&
           c->survived[0] - c->aged_frees <= c->allocs - c->frees &&
           c->aged - c->aged_freed <= c->bytes - c->freed;
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
        const struct mp_counts *c = &cell->counts;
        int64_t bytes = c->peak_bytes, blocks = c->peak_blocks;
        const char *problem = add_counters(&sums, c->allocs, c->bytes, c->frees, c->freed);

        *index = i;
        if (!problem)
            problem = mp_check_kind(profile, cell->kind);
        if (problem)
            return problem;
        if (!add(&temporary, c->temporary) || !add(&requested, c->requested))
            return "counters beyond all bounds";
        if (c->reallocs > c->allocs || c->steps > c->reallocs)
            return "more is made by realloc than was allocated";
        if (c->larger > c->compared || c->compared > c->allocs || c->replaced > c->allocs ||
            c->replaced_bytes > c->bytes)
            return "more blocks are compared or replaced than were allocated";
        if (!mp_lifetimes_fit(cell->lifetimes, c))
            return "more blocks have lifetimes than were freed";
        if (!ages_fit(c))
            return MP_PROBLEM_AGES;
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
