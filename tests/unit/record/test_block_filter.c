/* The filter, which excludes blocks that have no record, excludes no block that has one. */
#include "tests/unit/tap.h"

#include <stdbool.h>
#include <stdint.h>

#include "runtime/record/block_filter.h"

static const void *
block(uintptr_t address)
{
    return (const void *)address;
}

static bool
excludes(uintptr_t address)
{
    return *mp_filter_count(block(address)) == 0;
}

/* N blocks share one count of the filter. N may be larger than the maximum of the count. */
TEST_LOOP(many_blocks, 0, 300)
{
    const uintptr_t apart = (uintptr_t)1 << 32;
    const unsigned n = (unsigned)_i;

    for (unsigned i = 0; i < n; i++) {
        ck_assert_int_eq(excludes(0x1000), i == 0);
        mp_filter_add(block(0x1000 + i * apart));
    }
    for (unsigned i = 0; i < n; i++) {
        ck_assert(!excludes(0x1000 + i * apart));
        mp_filter_remove(block(0x1000 + i * apart));
    }
    /* A count that has reached its maximum stays there, so no block is excluded any more. */
    ck_assert_int_eq(excludes(0x1000), n < MP_FILTER_MANY);
    ck_assert(excludes(0x1000 + 32));
}

TEST(kept_blocks)
{
    mp_filter_keep(block(0x2000));
    mp_filter_add(block(0x2000));
    mp_filter_remove(block(0x2000));
    mp_filter_remove(block(0x2000));
    ck_assert(!excludes(0x2000));
    ck_assert(excludes(0x3000));
    mp_filter_keep_all();
    mp_filter_add(block(0x3000));
    mp_filter_remove(block(0x3000));
    ck_assert(!excludes(0x3000));
    for (uintptr_t at = 0; at < MP_FILTER_COUNTS; at++)
        ck_assert(!excludes(at * 32));
}
/* SPDX-License-Identifier: MIT */
