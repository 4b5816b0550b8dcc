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

const char *
mp_check_cells(const struct mp_profile *profile, uint32_t *index)
{
    struct sums sums = {0};
    int64_t up_bytes = 0, down_bytes = 0, up_blocks = 0, down_blocks = 0, temporary = 0;

    for (uint32_t i = 0; i < profile->n_cells; i++) {
        const struct mp_cell *cell = &profile->cells[i];
        int64_t bytes = cell->peak_bytes, blocks = cell->peak_blocks;
        const char *problem =
            add_counters(&sums, cell->allocs, cell->bytes, cell->frees, cell->freed);

        *index = i;
        if (problem)
            return problem;
        if (cell->kind >= MP_KIND_C_COUNT && cell->kind < MP_KIND_LISP)
            return "unknown kind of object";
        if (!add(&temporary, cell->temporary))
            return "counters beyond all bounds";
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
