#include "tests/unit/tap.h"

#include "reporter/export/cell_blocks.h"

static uint32_t seed;

static uint32_t
below(uint32_t limit)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)seed * limit) >> 32);
}

/* Returns the sum of the groups whose bits are set in SORTS. */
static struct mp_blocks_group
sum(const struct mp_blocks *blocks, unsigned sorts)
{
    struct mp_blocks_group all = {0};

    for (unsigned i = 0; i < MP_BLOCKS_SORTS; i++)
        if (sorts & 1u << i) {
            all.n += blocks->of[i].n;
            all.bytes += blocks->of[i].bytes;
        }
    return all;
}

enum {
    AT_PEAK = 1u << MP_BLOCKS_PEAK | 1u << MP_BLOCKS_PEAK_TEMPORARY | 1u << MP_BLOCKS_LASTING,
    AT_END = 1u << MP_BLOCKS_LASTING | 1u << MP_BLOCKS_LATE,
    TEMPORARY = 1u << MP_BLOCKS_TEMPORARY | 1u << MP_BLOCKS_PEAK_TEMPORARY,
    ALL = (1u << MP_BLOCKS_SORTS) - 1
};

static void
check_sums(const struct mp_cell *cell, const struct mp_blocks *blocks)
{
    const struct mp_basic_counts *c = &cell->counts;

    ck_assert_uint_eq(sum(blocks, ALL).n, c->allocs + blocks->more);
    ck_assert_uint_eq(sum(blocks, ALL).bytes, c->bytes);
    ck_assert_uint_eq(sum(blocks, AT_END).bytes, c->bytes - c->freed);
    ck_assert_uint_eq(sum(blocks, AT_PEAK).bytes, blocks->no_peak ? 0 : (uint64_t)c->peak_bytes);
    ck_assert_uint_eq(sum(blocks, TEMPORARY).n, c->temporary);
}

static void
check_sizes(const struct mp_cell *cell, const struct mp_blocks *blocks)
{
    for (unsigned i = 0; i < MP_BLOCKS_SORTS; i++) {
        const struct mp_blocks_group *group = &blocks->of[i];
        uint64_t n, size = mp_blocks_size(group, &n);

        ck_assert_uint_le(n, group->n);
        ck_assert_uint_eq(n * size + (group->n - n) * (size - (group->n > n)), group->bytes);
        if (group->n == 0)
            continue;
        ck_assert_uint_le(size, cell->size_max);
        ck_assert_uint_ge(size - (group->n > n), cell->size_min);
    }
}

/* Returns a cell of N random blocks, which have SIZES different sizes from LEAST on. */
static struct mp_cell
random_cell(uint32_t n, uint32_t least, uint32_t sizes)
{
    struct mp_cell cell = {.size_min = UINT32_MAX};
    struct mp_basic_counts *c = &cell.counts;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t size = least + below(sizes), fate = below(5);
        bool peak = fate & 1, kept = fate == 2 || fate == 3;

        c->allocs++;
        c->bytes += size;
        c->frees += !kept;
        c->freed += kept ? 0 : size;
        c->peak_blocks += peak;
        c->peak_bytes += peak ? size : 0;
        c->temporary += fate == 4 || (fate == 1 && below(4) == 0);
        cell.size_min = size < cell.size_min ? size : cell.size_min;
        cell.size_max = size > cell.size_max ? size : cell.size_max;
    }
    return cell;
}

TEST(blocks_have_the_sums_of_a_cell_and_its_sizes)
{
    seed = 1;
    for (int run = 0; run < 20000; run++) {
        struct mp_cell cell = random_cell(1 + below(12), below(40), 1 + below(300));
        struct mp_blocks blocks = mp_blocks_of(&cell);

        ck_assert_uint_eq(blocks.more, 0);
        ck_assert(!blocks.no_peak);
        check_sums(&cell, &blocks);
        check_sizes(&cell, &blocks);
        ck_assert_uint_eq(sum(&blocks, AT_PEAK).n, (uint64_t)cell.counts.peak_blocks);
        ck_assert_uint_eq(sum(&blocks, AT_END).n, cell.counts.allocs - cell.counts.frees);
    }
}

/* Lisp objects can grow, so a cell may have bytes of objects that another cell counts. */
TEST(bytes_without_blocks_are_few_blocks_more)
{
    seed = 2;
    for (int run = 0; run < 20000; run++) {
        uint64_t bytes = 1 + below(1000);
        struct mp_cell cell = {
            .counts = {.bytes = bytes, .freed = below((uint32_t)bytes + 1),
                       .peak_bytes = below((uint32_t)bytes + 1)}};
        struct mp_blocks blocks = mp_blocks_of(&cell);

        check_sums(&cell, &blocks);
        ck_assert_uint_ge(blocks.more, 1);
        ck_assert_uint_le(blocks.more, 4);
        ck_assert(!blocks.no_peak);
    }
}

/* Counters of several threads need not be consistent. */
TEST(a_peak_that_cannot_be_is_left_out)
{
    const struct mp_cell cell = {
        .size_min = 8, .size_max = 8,
        .counts = {.allocs = 1, .bytes = 8, .peak_bytes = 80, .peak_blocks = 10}};
    struct mp_blocks blocks = mp_blocks_of(&cell);

    ck_assert(blocks.no_peak);
    check_sums(&cell, &blocks);
}
/* SPDX-License-Identifier: MIT */
