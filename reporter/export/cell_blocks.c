/* SPDX-License-Identifier: MIT */
/*
 * The number of blocks that lived both at the peak and at the end is not known; the code calls it `both`. The sizes
 * in each group must lie between the smallest and the largest block size of the cell. For a given `both`, this bounds
 * the bytes of these blocks. The bounds are linear in `both`, so the distance between them is concave, and its
 * maximum is found by bisection.
 */
#include "cell_blocks.h"

#include "export_formats.h"

struct figures {
    uint64_t n, bytes;          /* allocated */
    uint64_t peak_n, peak;      /* of these, lived at the peak */
    uint64_t kept_n, kept;      /* of these, lived at the end */
    uint64_t min, max;          /* block sizes in bytes */
};

static uint64_t
times(uint64_t a, uint64_t b)
{
    uint64_t product;

    return __builtin_mul_overflow(a, b, &product) || product > MP_BLOCKS_MOST ? MP_BLOCKS_MOST : product;
}

static uint64_t
least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Narrows the range *LOW to *HIGH of x, so that ALL + SIGN * x bytes are possible for N blocks. */
static void
narrow(const struct figures *f, uint64_t n, int64_t all, int sign, int64_t *low, int64_t *high)
{
    int64_t from = (int64_t)times(n, f->min) - all, to = (int64_t)times(n, f->max) - all;

    if (sign < 0) {
        int64_t swap = -from;

        from = -to;
        to = swap;
    }
    *low = from > *low ? from : *low;
    *high = to < *high ? to : *high;
}

/* Returns the size of the range of possible bytes of BOTH blocks, which is negative if the range is empty. Sets *LOW
 * to its start. */
static int64_t
room(const struct figures *f, uint64_t both, int64_t *low)
{
    int64_t high = (int64_t)MP_BLOCKS_MOST;

    *low = 0;
    narrow(f, both, 0, 1, low, &high);
    narrow(f, f->peak_n - both, (int64_t)f->peak, -1, low, &high);
    narrow(f, f->kept_n - both, (int64_t)f->kept, -1, low, &high);
    narrow(f, f->n - f->peak_n - f->kept_n + both,
           (int64_t)f->bytes - (int64_t)f->peak - (int64_t)f->kept, 1, low, &high);
    return high - *low;
}

/* Finds the largest possible number of blocks that lived at the peak and at the end, and their smallest possible
 * bytes. Returns false if no number is possible. */
static bool
find_both(const struct figures *f, uint64_t *both, int64_t *bytes)
{
    uint64_t low = f->peak_n + f->kept_n > f->n ? f->peak_n + f->kept_n - f->n : 0;
    uint64_t high = least(f->peak_n, f->kept_n), top = high;
    int64_t ignored;

    if (low > high)
        return false;
    while (low < high) {        /* find the first number with the largest range */
        uint64_t middle = low + (high - low) / 2;

        if (room(f, middle, &ignored) < room(f, middle + 1, &ignored))
            low = middle + 1;
        else
            high = middle;
    }
    for (high = top; low < high;) {
        uint64_t middle = high - (high - low) / 2;

        if (room(f, middle, &ignored) >= 0)
            low = middle;
        else
            high = middle - 1;
    }
    *both = low;
    return room(f, low, bytes) >= 0;
}

static struct figures
figures_of(const struct mp_cell *cell)
{
    const struct mp_basic_counts *c = &cell->counts;
    struct figures f = {
        .n = c->allocs, .bytes = c->bytes,
        .peak_n = mp_export_positive(c->peak_blocks), .peak = mp_export_positive(c->peak_bytes),
        .kept_n = c->allocs - least(c->frees, c->allocs), .kept = c->bytes - least(c->freed, c->bytes),
        .max = c->bytes};

    if (cell->size_min <= cell->size_max) {
        f.min = cell->size_min;
        f.max = cell->size_max < UINT32_MAX ? least(cell->size_max, f.max) : f.max;
    }
    return f;
}

/* Tries again with one to four additional blocks. Bytes may occur without blocks, because Lisp objects can grow, and
 * the additional blocks represent such bytes. Tries all cases in which up to two of the additional blocks lived at
 * the peak and up to two at the end. Does not restrict sizes. Returns false if no combination is possible. */
static bool
find_with_more(struct figures *f, uint64_t *both, int64_t *bytes)
{
    for (uint32_t i = 0; i < 4 * 9; i++) {
        const uint32_t more = 1 + i / 9, peak = i / 3 % 3, kept = i % 3;
        const struct figures g = {
            .n = f->n + more, .bytes = f->bytes, .peak_n = f->peak_n + peak, .peak = f->peak,
            .kept_n = f->kept_n + kept, .kept = f->kept, .max = f->bytes};

        if (peak <= more && kept <= more && find_both(&g, both, bytes)) {
            *f = g;
            return true;
        }
    }
    return false;
}

/* Moves N blocks from FROM to TO, which is empty. If FROM has blocks of two sizes, moves those of the larger size
 * first. */
static void
split(struct mp_blocks_group *from, struct mp_blocks_group *to, uint64_t n)
{
    uint64_t larger = from->n > 0 ? from->bytes % from->n : 0;

    *to = (struct mp_blocks_group){n, from->n > 0 ? from->bytes / from->n * n + least(larger, n) : 0};
    from->n -= to->n;
    from->bytes -= to->bytes;
}

struct mp_blocks
mp_blocks_of(const struct mp_cell *cell)
{
    struct figures f = figures_of(cell);
    struct mp_blocks blocks = {0};
    struct mp_blocks_group *of = blocks.of;
    uint64_t both = 0, temporary = cell->counts.temporary, known = f.n, rest;
    int64_t bytes = 0;

    if (!find_both(&f, &both, &bytes) && !find_with_more(&f, &both, &bytes)) {
        blocks.no_peak = f.peak > 0;
        f.peak = f.peak_n = both = 0;
        bytes = 0;
    }
    blocks.more = f.n - known;
    of[MP_BLOCKS_LASTING] = (struct mp_blocks_group){both, (uint64_t)bytes};
    of[MP_BLOCKS_LATE] = (struct mp_blocks_group){f.kept_n - both, f.kept - (uint64_t)bytes};
    of[MP_BLOCKS_PEAK] = (struct mp_blocks_group){f.peak_n - both, f.peak - (uint64_t)bytes};
    rest = f.n - f.peak_n - f.kept_n + both;
    of[MP_BLOCKS_PASSING] = (struct mp_blocks_group){rest, f.bytes - f.peak - f.kept + (uint64_t)bytes};
    split(&of[MP_BLOCKS_PASSING], &of[MP_BLOCKS_TEMPORARY], least(temporary, rest));
    temporary -= least(temporary, rest);
    split(&of[MP_BLOCKS_PEAK], &of[MP_BLOCKS_PEAK_TEMPORARY],
          least(temporary, of[MP_BLOCKS_PEAK].n));
    return blocks;
}
