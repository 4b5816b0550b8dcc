/* The lifetimes of blocks are counted by context and kind, in buckets. */
#include "tests/unit/tap.h"

#include "recording.h"
#include "runtime/record/cct.h"
#include "runtime/record/counter.h"
#include "runtime/record/lifetime.h"
#include "runtime/store/store.h"
#include "runtime/store/store_rows.h"

static uint32_t
cell_of(uint32_t caller, size_t size)
{
    return count_block(mp_cct_child(sole_recorder, 0, caller), size);
}

/* Returns the record of lifetimes for the context and kind of CELL. Fails the test if there is not exactly one. */
static const struct mp_live_lifetimes *
record_of(uint32_t cell)
{
    const struct mp_live_lifetimes *found = NULL;

    for (uint32_t i = mp_rows[MP_EXT_LIFETIMES].first; i < mp_store_next(MP_EXT_LIFETIMES); i++) {
        const struct mp_live_lifetimes *record = &mp_store.lifetimes[i];

        if (record->context != mp_store.cells[cell].context ||
            record->kind != (mp_store.cells[cell].kind & ~MP_CELL_MIXED))
            continue;
        ck_assert_ptr_null(found);
        found = record;
    }
    ck_assert_ptr_nonnull(found);
    return found;
}

FIXTURE(begin_sole, NULL)

TEST(borders_are_powers_of_four)
{
    ck_assert_uint_eq(mp_lifetime_bucket(0), 0);
    for (unsigned i = 0; i < MP_LIFETIMES; i++) {
        const uint64_t border = (uint64_t)1 << MP_LIFETIME_BITS(i);

        ck_assert_uint_eq(mp_lifetime_bucket(border - 1), i);
        ck_assert_uint_eq(mp_lifetime_bucket(border), i + 1 < MP_LIFETIMES ? i + 1 : i);
    }
    ck_assert_uint_eq(mp_lifetime_bucket(32767), MP_LIFETIMES_SHORT - 1);
    ck_assert_uint_eq(mp_lifetime_bucket(32768), MP_LIFETIMES_SHORT);
    ck_assert_uint_eq(mp_lifetime_bucket(UINT64_MAX), MP_LIFETIMES - 1);
}

TEST(a_block_is_as_old_as_what_came_after_it)
{
    _Alignas(64) static char blocks[256];
    const uint32_t cell = cell_of(20, 100);

    mp_lifetime_begin(&blocks[0], 100);
    mp_lifetime_begin(&blocks[128], 31);
    mp_lifetime_end(sole_recorder, mp_lifetime_birth(&blocks[0]), cell, 100);
    ck_assert_uint_eq(record_of(cell)->blocks[0], 1);
    mp_lifetime_pass(1);
    mp_lifetime_end(sole_recorder, mp_lifetime_birth(&blocks[0]), cell, 100);
    mp_lifetime_end(sole_recorder, mp_lifetime_birth(&blocks[128]), cell, 100);
    ck_assert_uint_eq(record_of(cell)->blocks[0], 2);
    ck_assert_uint_eq(record_of(cell)->bytes[0], 200);
    ck_assert_uint_eq(record_of(cell)->blocks[1], 1);
    ck_assert_uint_eq(record_of(cell)->bytes[1], 100);
}

TEST(sizes_of_one_class_share_a_record)
{
    const uint32_t one = cell_of(20, 40), two = cell_of(20, 200), other = cell_of(20, 20);
    const uint32_t else_where = cell_of(21, 40);
    const uint64_t birth = mp_lifetime_pass(10);

    mp_lifetime_end(sole_recorder, birth, one, 40);
    mp_lifetime_end(sole_recorder, birth, two, 200);
    mp_lifetime_end(sole_recorder, birth, other, 20);
    mp_lifetime_end(sole_recorder, birth, else_where, 40);
    ck_assert_ptr_eq(record_of(one), record_of(two));
    ck_assert_uint_eq(record_of(one)->bytes[0], 240);
    ck_assert_uint_eq(record_of(other)->bytes[0], 20);
    ck_assert_uint_eq(record_of(else_where)->bytes[0], 40);
}

TEST(an_unknown_birth_is_not_noted)
{
    static char block[16];
    const uint32_t cell = cell_of(20, 16);

    ck_assert_uint_eq(mp_lifetime_birth((const void *)((uintptr_t)block ^ (uintptr_t)1 << 40)), 0);
    mp_lifetime_end(sole_recorder, 0, cell, 16);
    ck_assert_uint_eq(mp_store_next(MP_EXT_LIFETIMES), mp_rows[MP_EXT_LIFETIMES].first);
}

int
main(void)
{
    mp_lifetime_open(8);
    return tap_run();
}
/* SPDX-License-Identifier: MIT */
