#include "tests/unit/tap.h"

#include <stdio.h>
#include <string.h>

#include "reporter/base/child_index.h"
#include "reporter/base/map.h"
#include "tests/unit/profile_builder.h"

#define MANY 100000u

static struct mp_arena *arena;

static void
set_up(void)
{
    arena = keep_arena();
}

FIXTURE(set_up, NULL)

TEST(numbers_get_ids_in_order)
{
    struct mp_map map = {.arena = arena};

    ck_assert_uint_eq(mp_map_find_u64(&map, 0), MP_NO_ID);
    for (uint32_t round = 0; round < 2; round++)
        for (uint64_t i = 0; i < MANY; i++)
            ck_assert_uint_eq(mp_map_add_u64(&map, i << 32), i);
    ck_assert_uint_eq(map.count, MANY);
    for (uint64_t i = 0; i < MANY; i++) {
        ck_assert_uint_eq(mp_map_find_u64(&map, i << 32), i);
        ck_assert_uint_eq(mp_map_find_u64(&map, i << 32 | 1), MP_NO_ID);
    }
}

/* The first children of a node are linked, the others are in a hash table. */
TEST(children_are_found_by_parent_and_key)
{
    enum { PARENTS = 3, KEYS = 100 };
    struct mp_child_index index = mp_child_index_new(1 + PARENTS + PARENTS * KEYS, arena);

    for (uint32_t parent = 1; parent <= PARENTS; parent++)
        ck_assert_uint_eq(mp_child_index_find(&index, 0, UINT32_MAX - parent, parent), parent);
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t i = 0; i < PARENTS * KEYS; i++) {
            const uint32_t node = 1 + PARENTS + i;

            ck_assert_uint_eq(mp_child_index_find(&index, 1 + i % PARENTS, i / PARENTS, round == 0 ? node : 0), node);
        }
}

TEST(every_number_may_be_a_key)
{
    struct mp_map map = {.arena = arena};

    ck_assert_uint_eq(mp_map_add_u64(&map, UINT64_MAX), 0);
    ck_assert_uint_eq(mp_map_add_u64(&map, 0), 1);
    ck_assert_uint_eq(mp_map_find_u64(&map, UINT64_MAX), 0);
    ck_assert_uint_eq(mp_map_find_u64(&map, 0), 1);
}

TEST(bytes_are_copied_and_compared_whole)
{
    struct mp_map map = {.arena = arena};
    char key[16] = "a\0b";

    ck_assert_uint_eq(mp_map_find(&map, "a", 1), MP_NO_ID);
    ck_assert_uint_eq(mp_map_add(&map, key, 3), 0);
    ck_assert_uint_eq(mp_map_add(&map, key, 1), 1);
    ck_assert_uint_eq(mp_map_add(&map, key, 0), 2);
    key[2] = 'c';
    ck_assert_uint_eq(mp_map_add(&map, key, 3), 3);
    ck_assert_uint_eq(mp_map_find(&map, "a\0b", 3), 0);
    ck_assert_uint_eq(mp_map_find(&map, "a\0", 2), MP_NO_ID);
    ck_assert_mem_eq(mp_map_key(&map, 0), "a\0b", 4);
    ck_assert_str_eq(mp_map_key(&map, 1), "a");
    ck_assert_str_eq(mp_map_key(&map, 2), "");
}

TEST(bytes_get_ids_in_order)
{
    struct mp_map map = {.arena = arena};
    char key[16];

    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t i = 0; i < MANY; i++) {
            snprintf(key, sizeof key, "%u", i);
            ck_assert_uint_eq(mp_map_add(&map, key, strlen(key)), i);
        }
    ck_assert_str_eq(mp_map_key(&map, 12345), "12345");
    ck_assert_uint_eq(map.count, MANY);
}

struct pairs {
    uint32_t left[100], right[100];
    uint32_t sought_left, sought_right;
};

static bool
same_pair(const void *data, uint32_t id)
{
    const struct pairs *pairs = data;

    return pairs->left[id] == pairs->sought_left && pairs->right[id] == pairs->sought_right;
}

/* All keys have the same hash, so only the comparison distinguishes them. */
TEST(the_caller_can_compare)
{
    struct mp_map map = {.arena = arena};
    struct pairs pairs;

    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t i = 0; i < 100; i++) {
            pairs.sought_left = i / 10;
            pairs.sought_right = i % 10;
            if (round == 0) {
                pairs.left[i] = pairs.sought_left;
                pairs.right[i] = pairs.sought_right;
            }
            ck_assert_uint_eq(mp_map_add_hashed(&map, 7, same_pair, &pairs), i);
        }
}
/* SPDX-License-Identifier: MIT */
