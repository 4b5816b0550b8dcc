#include "check.h"

struct sums {
    int64_t allocs, bytes, frees, freed;
};

/* Add VALUE; false if that leaves the range. */
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

/* See mp_cell_kept(), mp_counts_new(): none of these differences may be negative. */
static bool
ages_fit(const struct mp_cell *cell)
{
    return cell->survived[1] <= cell->survived[0] && cell->survived[2] <= cell->survived[1] &&
           cell->aged_frees <= cell->survived[0] && cell->aged_freed <= cell->aged &&
           cell->aged_frees <= cell->frees && cell->aged_freed <= cell->freed &&
           cell->survived[0] - cell->aged_frees <= cell->allocs - cell->frees &&
           cell->aged - cell->aged_freed <= cell->bytes - cell->freed;
}

static const char *
check_kind(const struct mp_profile *profile, const struct mp_cell *cell)
{
    if (cell->kind >= MP_KIND_LISP && cell->kind < MP_KIND_END)
        return mp_profile_kind(profile, cell->kind) ? NULL : "a cell's kind of object is not there";
    return cell->kind < MP_KIND_C_COUNT ? NULL : "unknown kind of object";
}

const char *
mp_check_cells(const struct mp_profile *profile, uint32_t *index)
{
    struct sums sums = {0};
    int64_t up_bytes = 0, down_bytes = 0, up_blocks = 0, down_blocks = 0;
    int64_t temporary = 0, requested = 0;

    for (uint32_t i = 0; i < profile->n_cells; i++) {
        const struct mp_cell *cell = &profile->cells[i];
        int64_t bytes = cell->peak_bytes, blocks = cell->peak_blocks;
        const char *problem =
            add_counters(&sums, cell->allocs, cell->bytes, cell->frees, cell->freed);

        *index = i;
        if (!problem)
            problem = check_kind(profile, cell);
        if (problem)
            return problem;
        if (!add(&temporary, cell->temporary) || !add(&requested, cell->requested))
            return "counters beyond all bounds";
        if (!ages_fit(cell))
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
