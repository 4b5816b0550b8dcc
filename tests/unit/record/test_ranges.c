/* Address ranges with owners, compared with a table that has the owner of each address. */
#include "tests/unit/tap.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/record/ranges.h"

enum { SPACE = 64, CAPACITY = 12 };

static struct mp_live_range list[CAPACITY + 1];
static struct mp_ranges ranges;
static uint32_t owners[SPACE];          /* the table; 0 if nothing is there */
static uint32_t gone[SPACE];            /* what the last cut has reported */

static void
begin(void)
{
    memset(owners, 0, sizeof owners);
    ranges = (struct mp_ranges){list, 0, CAPACITY};
}

static void
report(void *data, const struct mp_live_range *piece)
{
    ck_assert_ptr_eq(data, &ranges);
    ck_assert_uint_lt(piece->start, piece->end);
    for (uint64_t i = piece->start; i < piece->end; i++) {
        ck_assert_uint_eq(gone[i], 0);
        gone[i] = piece->mapper;
    }
}

/* Compares the list with the table. Ranges must be sorted and joined. */
static void
compare(void)
{
    uint32_t found[SPACE] = {0};

    for (uint32_t i = 0; i < ranges.n; i++) {
        ck_assert_uint_lt(list[i].start, list[i].end);
        if (i > 0)
            ck_assert_uint_le(list[i - 1].end, list[i].start);
        for (uint64_t at = list[i].start; at < list[i].end; at++)
            found[at] = list[i].mapper;
    }
    ck_assert_mem_eq(found, owners, sizeof owners);
    for (uint32_t at = 0; at < SPACE; at++) {
        const uint32_t i = mp_ranges_find(&ranges, at);

        ck_assert(i == ranges.n || list[i].end > at);
        ck_assert(i == 0 || list[i - 1].end <= at);
    }
}

/* Cuts from START to END. Returns whether that was possible. */
static bool
cut(uint32_t start, uint32_t end)
{
    uint32_t expected[SPACE] = {0};

    memset(gone, 0, sizeof gone);
    if (!mp_ranges_cut(&ranges, start, end, report, &ranges)) {
        ck_assert_mem_eq(gone, expected, sizeof gone);
        return false;
    }
    memcpy(expected + start, owners + start, (end - start) * sizeof *owners);
    ck_assert_mem_eq(gone, expected, sizeof gone);
    memset(owners + start, 0, (end - start) * sizeof *owners);
    return true;
}

FIXTURE(begin, NULL)

TEST(the_middle_of_a_range_is_cut)
{
    ck_assert(mp_ranges_add(&ranges, 10, 20, 1));
    memset(owners, 0, sizeof owners);
    for (int i = 10; i < 20; i++)
        owners[i] = 1;
    compare();
    ck_assert(cut(12, 15));
    compare();
    ck_assert_uint_eq(ranges.n, 2);
    ck_assert(mp_ranges_add(&ranges, 12, 15, 1));       /* joins both neighbours */
    ck_assert_uint_eq(ranges.n, 1);
    ck_assert_uint_eq(list[0].start, 10);
    ck_assert_uint_eq(list[0].end, 20);
}

TEST(neighbours_of_others_stay_apart)
{
    ck_assert(mp_ranges_add(&ranges, 10, 20, 1));
    ck_assert(mp_ranges_add(&ranges, 20, 30, 2));
    ck_assert(mp_ranges_add(&ranges, 5, 10, 2));
    ck_assert_uint_eq(ranges.n, 3);
}

TEST(a_full_list_refuses_and_stays)
{
    for (uint32_t i = 0; i < CAPACITY; i++) {
        ck_assert(mp_ranges_add(&ranges, 5 * i, 5 * i + 3, 1));
        owners[5 * i] = owners[5 * i + 1] = owners[5 * i + 2] = 1;
    }
    ck_assert(!mp_ranges_add(&ranges, 62, 63, 1));
    ck_assert(!cut(6, 7));
    compare();
    ck_assert(cut(5, 7));
    ck_assert(cut(12, 13));
    compare();
}

TEST(random_changes_agree_with_the_table)
{
    srand(1);
    for (int i = 0; i < 200000; i++) {
        const uint32_t start = (uint32_t)rand() % SPACE, end = start + 1 + (uint32_t)rand() % (SPACE - start);
        const uint32_t owner = (uint32_t)rand() % 4;

        if (cut(start, end) && owner > 0 && mp_ranges_add(&ranges, start, end, owner))
            for (uint32_t at = start; at < end; at++)
                owners[at] = owner;
        compare();
    }
}
/* SPDX-License-Identifier: MIT */
