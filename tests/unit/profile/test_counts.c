#include "tests/unit/tap.h"

#include <stddef.h>
#include <string.h>

#include "reporter/profile/cells.h"

/* Number of figures in struct mp_counts before `spread`, all of which are 64-bit numbers. */
enum { SIZE = offsetof(struct mp_counts, spread), FIGURES = SIZE / sizeof(uint64_t) };

TEST(every_figure_is_added)
{
    uint64_t figures[FIGURES];
    struct mp_counts sum = {0}, more = {0};

    for (uint64_t i = 0; i < FIGURES; i++)
        figures[i] = i + 1;
    memcpy(&sum, figures, SIZE);
    memcpy(&more, figures, SIZE);
    mp_counts_add(&sum, &more);
    memcpy(figures, &sum, SIZE);
    for (uint64_t i = 0; i < FIGURES; i++)
        ck_assert_uint_eq(figures[i], 2 * (i + 1));
}

TEST(sums_stick_at_their_bounds)
{
    struct mp_counts most = {.bytes = UINT64_MAX - 1, .peak_bytes = INT64_MAX,
                             .peak_blocks = INT64_MIN};
    const struct mp_counts more = {.bytes = 7, .peak_bytes = 1, .peak_blocks = -1};

    mp_counts_add(&most, &more);
    ck_assert_uint_eq(most.bytes, UINT64_MAX);
    ck_assert_int_eq(most.peak_bytes, INT64_MAX);
    ck_assert_int_eq(most.peak_blocks, INT64_MIN);
}

TEST(kept_is_what_was_not_freed_or_of_lisp_what_survived)
{
    struct mp_cell_rest rest = {.counts = {.survived = {5, 3, 1}, .aged = 50, .aged_frees = 2, .aged_freed = 20}};
    struct mp_cell cell = {.counts = {.allocs = 10, .bytes = 100, .frees = 4, .freed = 40}, .rest = &rest};
    struct mp_counts counts;

    mp_cell_set_kept(&cell);
    ck_assert_uint_eq(cell.counts.kept, 60);
    ck_assert_uint_eq(cell.counts.kept_blocks, 6);
    cell.kind = MP_KIND_LISP;
    mp_cell_set_kept(&cell);
    counts = mp_cell_counts(&cell);
    ck_assert_uint_eq(counts.kept, 30);
    ck_assert_uint_eq(counts.kept_blocks, 3);
    ck_assert_uint_eq(mp_counts_new(&counts), 3);
}

TEST(blocks_without_bytes_and_bytes_without_blocks_are_something)
{
    ck_assert(mp_counts_any(&(struct mp_counts){.allocs = 1}));
    ck_assert(mp_counts_any(&(struct mp_counts){.bytes = 1}));
    ck_assert(!mp_counts_any(&(struct mp_counts){.frees = 1}));
}

TEST(each_figure_has_a_member_and_a_key_of_its_own)
{
    const struct mp_counts counts = {
        .allocs = 1, .bytes = 2, .frees = 3, .freed = 4, .temporary = 5, .peak_bytes = -6, .peak_blocks = 7,
        .kept = (uint64_t)-8, .kept_blocks = 9};

    ck_assert_int_eq(mp_counts_figure(&counts, MP_FIGURE_ALLOCS), 1);
    ck_assert_int_eq(mp_counts_figure(&counts, MP_FIGURE_BYTES), 2);
    ck_assert_int_eq(mp_counts_figure(&counts, MP_FIGURE_FREES), 3);
    ck_assert_int_eq(mp_counts_figure(&counts, MP_FIGURE_FREED), 4);
    ck_assert_int_eq(mp_counts_figure(&counts, MP_FIGURE_TEMPORARY), 5);
    ck_assert_int_eq(mp_counts_figure(&counts, MP_FIGURE_PEAK_BYTES), -6);
    ck_assert_int_eq(mp_counts_figure(&counts, MP_FIGURE_PEAK_BLOCKS), 7);
    ck_assert_int_eq(mp_counts_figure(&counts, MP_FIGURE_KEPT), -8);
    ck_assert_int_eq(mp_counts_figure(&counts, MP_FIGURE_KEPT_BLOCKS), 9);
    for (int i = 0; i < MP_FIGURES; i++)
        for (int j = 0; j < i; j++)
            ck_assert_str_ne(mp_figures[i].key, mp_figures[j].key);
}
/* SPDX-License-Identifier: MIT */
