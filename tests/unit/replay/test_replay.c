/* Replays of heaps with a constant number of live bytes, all of which may contain pointers. */
#include "tests/unit/tap.h"

#include <string.h>

#include "reporter/profile/collections.h"
#include "reporter/replay/replay.h"

#define MB ((uint64_t)1000000)
#define COLLECTIONS 40u

static struct mp_profile profile;
static struct mp_collections all;
static struct mp_collection list[COLLECTIONS];

/* 30 MB live. With the divisor 3, two thirds of that, 20 MB, are allocated before each collection. The heap has
 * 50 MB. */
static void
set_up(void)
{
    memset(&profile, 0, sizeof profile);
    all = (struct mp_collections){.list = list, .n = COLLECTIONS, .divisor = 3};
    for (uint32_t i = 0; i < COLLECTIONS; i++)
        list[i] = (struct mp_collection){.time = i, .number = 1, .pause = 4 * MB, .before = 50 * MB, .after = 30 * MB,
                                         .heap_size = 50 * MB, .allocated = 50 * MB + i * 20 * MB};
    profile.collections = &all;
}

static struct mp_replay
learnt(void)
{
    struct mp_error error = {.code = MP_ERR_NONE};
    struct mp_replay replay;

    ck_assert_msg(mp_replay_learn(&replay, &profile, &error), "%s", error.text);
    return replay;
}

FIXTURE(set_up, NULL)

TEST(the_recording_is_summed_up)
{
    const struct mp_replay replay = learnt();

    ck_assert_uint_eq(replay.recorded.collections, COLLECTIONS);
    ck_assert_uint_eq(replay.recorded.pauses, COLLECTIONS * 4 * MB);
    ck_assert_uint_eq(replay.recorded.heap, 50 * MB);
    ck_assert_uint_eq(replay.most_live, 30 * MB);
    ck_assert_uint_eq(replay.allocated, (COLLECTIONS - 1) * 20 * MB);
    ck_assert_double_eq_tol(replay.filled, 1, 1e-9);
    ck_assert_double_eq_tol(replay.fixed + replay.each * 30e6, 4e6, 1);
}

TEST(the_same_settings_give_the_same)
{
    const struct mp_replay replay = learnt();
    struct mp_replay_result result;

    mp_replay_run(&replay, &replay.setting, &result);
    ck_assert_uint_eq(result.collections, COLLECTIONS);
    ck_assert_uint_eq(result.heap, 50 * MB);
    ck_assert_uint_eq(result.ends_at, 0);
    ck_assert_double_eq_tol((double)result.pauses, COLLECTIONS * 4e6, COLLECTIONS);
}

/* A heap of 130 MB is full after each 100 MB, which is 7 times in 780 MB. The first collection was recorded. */
TEST(a_large_first_heap_is_filled_before_it_is_collected)
{
    const struct mp_replay replay = learnt();
    const struct mp_replay_setting setting = {.divisor = 3, .first_heap = 130 * MB};
    struct mp_replay_result result;

    mp_replay_run(&replay, &setting, &result);
    ck_assert_uint_eq(result.collections, 8);
    ck_assert_uint_eq(result.heap, 130 * MB);
}

/* An incremental collector runs as soon as half of 20 MB was allocated, which is 78 times in 780 MB. */
TEST(in_steps_it_is_collected_twice_as_often)
{
    const struct mp_replay replay = learnt();
    const struct mp_replay_setting setting = {.divisor = 3, .incremental = true};
    struct mp_replay_result result;

    mp_replay_run(&replay, &setting, &result);
    ck_assert_uint_eq(result.collections, 1 + 78);
    ck_assert_uint_eq(result.heap, 50 * MB);
}

TEST(a_heap_that_is_too_small_runs_out)
{
    struct mp_replay replay;
    const struct mp_replay_setting setting = {.divisor = 3, .most_heap = 60 * MB};
    struct mp_replay_result result;

    for (uint32_t i = COLLECTIONS / 2; i < COLLECTIONS; i++)
        list[i].after = 80 * MB, list[i].before = list[i].heap_size = 100 * MB;
    replay = learnt();
    mp_replay_run(&replay, &setting, &result);
    ck_assert_uint_gt(result.ends_at, list[0].allocated);
    ck_assert_uint_le(result.ends_at, list[COLLECTIONS / 2].allocated);
    ck_assert_uint_eq(result.heap, 60 * MB);
}

TEST(nothing_that_lives_does_no_harm)
{
    struct mp_replay replay;
    const struct mp_replay_setting setting = {.divisor = 1000, .incremental = true};
    struct mp_replay_result result;

    for (uint32_t i = 0; i < COLLECTIONS; i++)
        list[i].after = list[i].before = 0;
    replay = learnt();
    mp_replay_run(&replay, &setting, &result);
    ck_assert_uint_le(result.heap, UINT64_C(1) << 46);
}

/* A damaged file may have such collections. */
TEST(a_heap_without_bytes_does_no_harm)
{
    struct mp_replay replay;

    for (uint32_t i = 0; i < COLLECTIONS; i++)
        list[i].heap_size = list[i].after = list[i].before = 0;
    replay = learnt();
    ck_assert_double_eq_tol(replay.filled, 1, 1e-9);
}

TEST(too_few_are_refused)
{
    struct mp_error error = {.code = MP_ERR_NONE};
    struct mp_replay replay;

    all.n = 3;
    ck_assert(!mp_replay_learn(&replay, &profile, &error));
    ck_assert_str_eq(error.text, "3 collections of a collected heap were recorded; a replay needs 4");
    profile.collections = NULL;
    ck_assert(!mp_replay_learn(&replay, &profile, &error));
}

TEST(a_real_run_may_have_few)
{
    struct mp_error error = {.code = MP_ERR_NONE};
    struct mp_replay_setting setting;
    struct mp_replay_result real;

    all.n = 1;
    ck_assert(mp_replay_real(&profile, "real.data", &setting, &real, &error));
    ck_assert_uint_eq(real.collections, list[0].number);
    ck_assert_uint_eq(real.heap, list[0].heap_size);
    ck_assert_uint_eq(setting.divisor, all.divisor);
    profile.collections = NULL;
    ck_assert(!mp_replay_real(&profile, "real.data", &setting, &real, &error));
    ck_assert_str_eq(error.text, "real.data: no collection of a collected heap was recorded");
}

TEST(the_best_takes_least_time_within_the_heap)
{
    const struct mp_replay_setting settings[4] = {{.divisor = 1}, {.divisor = 2}, {.divisor = 3},
                                                  {.divisor = 4, .incremental = true}};
    const struct mp_replay_result results[4] = {{.pauses = 1, .heap = 100}, {.pauses = 5, .heap = 50},
                                                {.pauses = 4, .heap = 60}, {.pauses = 0, .heap = 10}};

    ck_assert_uint_eq(mp_replay_best(settings, results, 4, 1000), 0);
    ck_assert_uint_eq(mp_replay_best(settings, results, 4, 60), 2);
    ck_assert_uint_eq(mp_replay_best(settings, results, 4, 50), 1);
    ck_assert_uint_eq(mp_replay_best(settings, results, 4, 40), 4);
}
/* SPDX-License-Identifier: MIT */
