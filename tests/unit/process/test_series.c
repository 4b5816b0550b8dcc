#include "tests/unit/tap.h"

#include "reporter/process/observations.h"

enum { MS = 1000000 };

static struct mp_observed series;

static void
set_up(void)
{
    mp_series_begin(&series, 77, 10 * MS);
}

static void
tear_down(void)
{
    mp_series_free(&series);
}

FIXTURE(set_up, tear_down)

TEST(a_long_recording_has_no_more_points_than_there_is_room_for)
{
    uint64_t time = 0, last = 0;

    for (; time < (uint64_t)1000000 * MS; time += series.interval) {
        mp_series_add_point(&series, &(struct mp_point){.time = time, .live = last = time});
        ck_assert_uint_le(series.n_points, MP_SERIES_POINTS);
    }
    ck_assert_uint_ge(series.n_points, MP_SERIES_POINTS / 2);
    ck_assert_uint_eq(series.interval, (uint64_t)10 * MS << 8);     /* 1,000 s by 512 */
    for (uint32_t i = 1; i < series.n_points; i++)
        ck_assert_uint_gt(series.points[i].time, series.points[i - 1].time);
    ck_assert_uint_eq(series.points[series.n_points - 1].live, last);
}

TEST(the_highest_point_stays)
{
    for (uint64_t i = 0; i < 5000; i++)
        mp_series_add_point(&series, &(struct mp_point){.time = i, .live = i == 1234 ? 99 : i % 7});
    for (uint32_t i = 0; i < series.n_points; i++)
        if (series.points[i].live == 99) {
            ck_assert_uint_eq(series.points[i].time, 1234);
            return;
        }
    ck_abort_msg("it is gone");
}

static struct mp_change changes[4000];  /* changes of one moment */

static uint64_t
sum_of_bytes(void)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < series.n_moments; i++) {
        mp_observed_changes(&series, i, changes);
        for (uint32_t j = 0; j < series.moments[i].n_changes; j++)
            sum += changes[j].bytes;
    }
    return sum;
}

/* Adds N moments. Before each, 10 bytes are allocated in the same context, and 3 bytes in a new one. */
static void
add_moments(uint32_t n, uint32_t most)
{
    for (uint32_t i = 0; i < n; i++) {
        mp_series_add_change(&series, &(struct mp_change){.context = 1, .allocs = 1, .bytes = 10});
        mp_series_add_change(&series, &(struct mp_change){.context = 10 + i, .allocs = 1, .bytes = 3});
        mp_series_add_moment(&series, i * MS, i * MS + 5, most);
    }
}

TEST(moments_become_fewer_and_lose_nothing)
{
    add_moments(1000, UINT32_MAX);
    ck_assert_uint_lt(series.n_moments, MP_SERIES_MOMENTS);
    ck_assert_uint_ge(series.n_moments, MP_SERIES_MOMENTS / 2 - 1);
    ck_assert_uint_eq(sum_of_bytes(), 13000);
    ck_assert_uint_eq(series.moments[series.n_moments - 1].end, 999 * MS + 5);
}

TEST(changes_of_a_moment_are_sorted_and_each_once)
{
    uint32_t next = 0;

    add_moments(200, UINT32_MAX);
    for (uint32_t i = 0; i < series.n_moments; i++) {
        mp_observed_changes(&series, i, changes);
        ck_assert_uint_eq(changes[0].context, 1);
        for (uint32_t j = 1; j < series.moments[i].n_changes; j++)
            ck_assert_uint_gt(changes[j].context, changes[j - 1].context);
        next += series.moments[i].n_changes;
    }
    ck_assert_uint_eq(next, series.n_changes);
}

/* The figures of a change are differences modulo 2^64. */
TEST(changes_stay_as_they_are)
{
    const struct mp_change given[] = {{.context = 3, .kind = 2, .allocs = 1, .bytes = 8},
                                      {.context = 3, .kind = 7, .frees = 1, .freed = UINT64_MAX},
                                      {.context = UINT32_MAX, .kind = UINT32_MAX, .allocs = 1u << 31, .bytes = 0}};

    for (uint32_t i = 0; i < 3; i++)
        mp_series_add_change(&series, &given[2 - i]);
    mp_series_add_moment(&series, 1, 2, UINT32_MAX);
    mp_series_add_moment(&series, 3, 4, UINT32_MAX);
    ck_assert_uint_eq(series.moments[0].n_changes, 3);
    ck_assert_uint_eq(series.moments[1].n_changes, 0);
    mp_observed_changes(&series, 0, changes);
    ck_assert_mem_eq(changes, given, sizeof given);
}

/* Each of 65,536 chains allocates little, as in a program with many chains between two counts. */
TEST(a_count_of_many_chains_takes_less_than_a_megabyte)
{
    for (uint32_t i = 0; i < 65536; i++)
        mp_series_add_change(&series, &(struct mp_change){.context = 20 * i, .kind = 1, .allocs = 100, .bytes = 4800,
                                                          .frees = 99, .freed = 4752});
    mp_series_add_moment(&series, 1, 2, UINT32_MAX);
    ck_assert_uint_lt(series.kept.size, 1 << 20);
    ck_assert_ptr_null(series.next);
}

TEST(there_are_no_more_changes_than_wanted)
{
    add_moments(150, 200);
    ck_assert(!series.too_wide);
    ck_assert_uint_le(series.n_changes, 200);
    ck_assert_uint_eq(sum_of_bytes(), 150 * 13);
    add_moments(1000, 200);             /* more contexts than MOST, even in a single moment */
    ck_assert(series.too_wide);
    ck_assert_uint_eq(series.n_moments, 0);
    ck_assert(!mp_series_wants_moment(&series, UINT64_MAX));
}

TEST(any_run_has_many_moments_at_equal_distances)
{
    for (uint64_t time = 0; time < 100000 * (uint64_t)MS; time += 10 * MS) {
        if (!mp_series_wants_moment(&series, time))
            continue;
        mp_series_add_moment(&series, time, time, UINT32_MAX);
        ck_assert_uint_ge(series.n_moments, time < 310 * (uint64_t)MS ? time / (10 * MS) : 32);
        for (uint32_t i = 1; i < series.n_moments; i++)
            ck_assert_uint_le(series.moments[i].end - series.moments[i - 1].end, time / 20 + 10 * MS);
    }
}
/* SPDX-License-Identifier: MIT */
