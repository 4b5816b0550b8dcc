#include "tests/unit/tap.h"

#include "runtime/record/id_table.h"

#define KEYS 5000u              /* several times the capacity of the first table */

/* Returns key I. As in the calling-context tree, keys are close together in both halves, and 0 is a key. */
static uint64_t
key_of(uint32_t i)
{
    return (uint64_t)(i / 50) << 32 | i % 50;
}

TEST(an_empty_map_has_nothing)
{
    struct mp_id_table map = { 0 };

    ck_assert_uint_eq(mp_id_map_find(&map, 0), 0);
    ck_assert_uint_eq(mp_id_map_find(&map, 17), 0);
    mp_id_table_clear(&map, sizeof(struct mp_id_entry));
    ck_assert_ptr_null(map.entries);
}

TEST(each_key_has_its_id_however_the_map_grows)
{
    struct mp_id_table map = { 0 };

    for (uint32_t i = 0; i < KEYS; i++) {
        ck_assert(mp_id_map_make_room(&map));
        ck_assert_uint_eq(mp_id_map_find(&map, key_of(i)), 0);
        mp_id_map_put(&map, key_of(i), i + 1);
        ck_assert_uint_eq(mp_id_map_find(&map, key_of(i / 2)), i / 2 + 1);
    }
    for (uint32_t i = 0; i < KEYS; i++)
        ck_assert_uint_eq(mp_id_map_find(&map, key_of(i)), i + 1);
    ck_assert_uint_eq(mp_id_map_find(&map, key_of(KEYS)), 0);
    ck_assert_uint_eq(map.used, KEYS);
    mp_id_table_clear(&map, sizeof(struct mp_id_entry));
    ck_assert_uint_eq(mp_id_map_find(&map, key_of(0)), 0);
}
/* SPDX-License-Identifier: MIT */
