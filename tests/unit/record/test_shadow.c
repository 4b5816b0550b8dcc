/* Object tables: what is remembered of an address, and malloc's blocks of every size. */
#include "tests/unit/tap.h"

#include <string.h>

#include "runtime/record/block_table.h"
#include "runtime/record/shadow.h"
#include "runtime/system/gate.h"

#define HEAP   ((uintptr_t)0x7f1200000000)
#define REGION MP_SHADOW_REGION_SIZE

static void
nothing_inherited(void)
{
}

static void
set_up(void)
{
    ck_assert_int_eq(mp_gate_open(nothing_inherited), 0);
    mp_gate_raise();
    ck_assert_int_eq(mp_block_open(8), 0);
}

START_TEST(each_address_has_a_word_of_its_own)
{
    struct mp_shadow_table table = {0};
    uint64_t *region, all = 0;

    ck_assert(!mp_shadow_is_open(&table));
    ck_assert_int_eq(mp_shadow_open(&table, 16, 65536, 4096), 0);
    ck_assert_ptr_null(mp_shadow_find(&table, HEAP));
    region = mp_shadow_force_region(&table, HEAP + 160);
    ck_assert_ptr_eq(mp_shadow_find(&table, HEAP), region);
    ck_assert_ptr_eq(mp_shadow_find(&table, HEAP + 160), region + 10);
    ck_assert_ptr_eq(mp_shadow_find(&table, HEAP + REGION - 16), region + REGION / 16 - 1);
    ck_assert_ptr_null(mp_shadow_find(&table, HEAP + REGION));
    ck_assert_ptr_null(mp_shadow_find(&table, HEAP - 16));
    memset((char *)region - 65536, 1, 65536);
    memset(mp_shadow_extra(&table, region), 1, 4096);
    for (size_t i = 0; i < REGION / 16; i++)
        all |= region[i];
    ck_assert_uint_eq(all, 0);
}
END_TEST

START_TEST(a_region_is_made_and_listed_once)
{
    struct mp_shadow_table table = {0};
    uint64_t *region;

    ck_assert_int_eq(mp_shadow_open(&table, 8, 0, 0), 0);
    region = mp_shadow_new_region(&table, HEAP);
    ck_assert_uint_eq(table.n_listed, 0);
    ck_assert_ptr_eq(mp_shadow_new_region(&table, HEAP + 64), region);
    ck_assert_ptr_eq(mp_shadow_force_region(&table, HEAP + 8), region);
    mp_shadow_force_region(&table, HEAP - 8);
    mp_shadow_force_region(&table, HEAP);
    ck_assert_uint_eq(table.n_listed, 2);
    ck_assert_uint_eq((uintptr_t)table.listed[0] << MP_SHADOW_REGION_BITS, HEAP);
    ck_assert_uint_eq((uintptr_t)table.listed[1] << MP_SHADOW_REGION_BITS, HEAP - REGION);
}
END_TEST

START_TEST(sizes_beyond_a_word_are_listed)
{
    const size_t size = (size_t)5 << 32;

    ck_assert_int_eq(mp_shadow_put_huge(HEAP, size), 0);
    ck_assert_int_eq(mp_shadow_put_huge(HEAP + 64, size + 1), 0);
    ck_assert_int_eq(mp_shadow_put_huge(HEAP, size + 2), 0);
    ck_assert_uint_eq(mp_shadow_find_huge(HEAP, false), size + 2);
    ck_assert_uint_eq(mp_shadow_take_huge(HEAP), size + 2);
    ck_assert_uint_eq(mp_shadow_take_huge(HEAP), 0);
    ck_assert_uint_eq(mp_shadow_take_huge(HEAP + 64), size + 1);
}
END_TEST

static enum mp_block_put
put(uintptr_t block, size_t size, uint32_t cell)
{
    return mp_block_put(mp_block_region((const void *)block), (const void *)block, size, cell);
}

/* Take the block out again: it must have had SIZE and CELL. */
static void
must_take(uintptr_t block, size_t size, uint32_t cell)
{
    uint64_t record = mp_block_take((const void *)block);

    ck_assert_uint_eq(record >> 32, cell);
    ck_assert_uint_eq(mp_block_size((const void *)block, record), size);
    ck_assert_uint_eq(mp_block_take((const void *)block), 0);
}

START_TEST(blocks_of_every_size_are_remembered)
{
    static const size_t sizes[] = {0, 1, MP_BLOCK_LARGE - 1, MP_BLOCK_LARGE, UINT32_MAX - 1, UINT32_MAX,
                                   (size_t)1 << 32, (size_t)1 << 40};

    ck_assert_uint_eq(mp_block_take((const void *)HEAP), 0);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        ck_assert_int_eq(put(HEAP + 8, sizes[i], 7), MP_BLOCK_DONE);
        must_take(HEAP + 8, sizes[i], 7);
    }
}
END_TEST

/* The hook did not see that the old ones were freed. */
START_TEST(what_stands_in_the_way_is_found)
{
    struct mp_block_old old;

    ck_assert_int_eq(put(HEAP, 32, 1), MP_BLOCK_DONE);
    ck_assert_int_eq(put(HEAP, 32, 2), MP_BLOCK_OLD);
    old = mp_block_take_old((const void *)HEAP, 32);
    ck_assert_uint_eq(old.record, (uint64_t)1 << 32 | 32);
    ck_assert_int_eq(put(HEAP, 2000, 2), MP_BLOCK_DONE);
    ck_assert_int_eq(put(HEAP + 64, 3000, 3), MP_BLOCK_OLD);    /* two large ones cannot be so near */
    old = mp_block_take_old((const void *)(HEAP + 64), 3000);
    ck_assert_ptr_eq(old.block, (const void *)HEAP);
    ck_assert_uint_eq(old.record, (uint64_t)2 << 32 | 2000);
    ck_assert_uint_eq(mp_block_take_old((const void *)(HEAP + 64), 3000).record, 0);
    ck_assert_int_eq(put(HEAP + 64, 3000, 3), MP_BLOCK_DONE);
    ck_assert_int_eq(put(HEAP, 64, 4), MP_BLOCK_DONE);          /* but a small one beside it */
    must_take(HEAP, 64, 4);
    must_take(HEAP + 64, 3000, 3);
}
END_TEST

START_TEST(a_failed_realloc_puts_the_block_back)
{
    for (size_t size = 100; size < 10000; size += 9000) {
        uint64_t record;

        ck_assert_int_eq(put(HEAP, size, 5), MP_BLOCK_DONE);
        record = mp_block_take((const void *)HEAP);
        mp_block_put_back((const void *)HEAP, record);
        must_take(HEAP, size, 5);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("shadow");
    TCase *tests = tcase_create("shadow");

    tcase_add_checked_fixture(tests, set_up, NULL);
    tcase_add_test(tests, each_address_has_a_word_of_its_own);
    tcase_add_test(tests, a_region_is_made_and_listed_once);
    tcase_add_test(tests, sizes_beyond_a_word_are_listed);
    tcase_add_test(tests, blocks_of_every_size_are_remembered);
    tcase_add_test(tests, what_stands_in_the_way_is_found);
    tcase_add_test(tests, a_failed_realloc_puts_the_block_back);
    suite_add_tcase(suite, tests);
    return tap_run(suite);
}
