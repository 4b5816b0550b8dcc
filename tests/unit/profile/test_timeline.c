#include "tests/unit/tap.h"

#include <string.h>

#include "reporter/profile/timeline.h"
#include "reporter/view/filter.h"
#include "reporter/view/view.h"
#include "tests/unit/profile_builder.h"
#include "tests/unit/profile_checks.h"

enum { SMALL = MP_KIND_SMALL, LARGE = MP_KIND_LARGE };

/* Builds the time line of two functions, A and B, of which B also calls a wrapper. At the first checkpoint A has 100
 * bytes. At the second A has freed them, and B and the wrapper have 1000 each. At the end A has 50. */
static struct mp_profile *
phases(void)
{
    static const struct mp_moment moments[] = {
        {.kind = MP_MOMENT_START, .name = "", .has_changes = true},
        {.kind = MP_MOMENT_CHECKPOINT, .time = 10, .name = "one", .has_changes = true, .n_changes = 1},
        {.kind = MP_MOMENT_PEAK, .time = 15, .name = "", .first_change = 1},
        {.kind = MP_MOMENT_CHECKPOINT, .time = 20, .name = "two", .has_changes = true, .first_change = 1,
         .n_changes = 3},
        {.kind = MP_MOMENT_END, .time = 30, .name = "", .has_changes = true, .first_change = 4}};
    struct mp_profile *profile = PROFILE_OF({"main;a", SMALL, 15, 150, 10, 100},
                                            {"main;b", LARGE, 1, 1000, 0, 0},
                                            {"main;b;xmalloc", LARGE, 1, 1000, 0, 0});
    const struct mp_change changes[] = {{pb_context(profile, "a"), SMALL, 10, 100, 0, 0, 0},
                                        {pb_context(profile, "a"), SMALL, 0, 0, 10, 100, 0},
                                        {pb_context(profile, "b"), LARGE, 1, 1000, 0, 0, 0},
                                        {pb_context(profile, "xmalloc"), LARGE, 1, 1000, 0, 0, 0}};

    pb_timeline(profile, moments, 5, changes, 4);
    return profile;
}

/* Returns the bytes alive at MOMENT, and sets *N to the number of contexts and kinds. */
static int64_t
live_at(const struct mp_profile *profile, uint32_t moment, uint32_t *n)
{
    struct mp_arena *arena = keep_arena();
    const struct mp_live *live = mp_timeline_live(profile, moment, n, arena);
    int64_t sum = 0;

    for (uint32_t i = 0; i < *n; i++) {
        sum += live[i].bytes;
        ck_assert(i == 0 || live[i].context > live[i - 1].context ||
                  (live[i].context == live[i - 1].context && live[i].kind > live[i - 1].kind));
    }
    return sum;
}

static void
must_live(const struct mp_profile *profile, uint32_t moment, int64_t bytes, uint32_t n)
{
    uint32_t found;

    ck_assert_int_eq(live_at(profile, moment, &found), bytes);
    ck_assert_uint_eq(found, n);
}

TEST(changes_add_up_to_what_lives)
{
    struct mp_profile *profile = phases();

    profile->cells[1].counts.peak_bytes = 70;
    profile->cells[1].counts.peak_blocks = 7;
    must_live(profile, 0, 0, 0);
    must_live(profile, 1, 100, 1);
    must_live(profile, 2, 70, 1);
    must_live(profile, 3, 2000, 2);
    must_live(profile, 4, 2050, 3);
}

TEST(until_a_moment_all_is_counted)
{
    struct mp_profile *profile = phases();
    uint32_t n;
    const struct mp_change *until = mp_timeline_until(profile, 3, &n, keep_arena());

    ck_assert_uint_eq(n, 3);
    ck_assert_uint_eq(until[0].context, pb_context(profile, "a"));
    ck_assert_uint_eq(until[0].allocs, 10);
    ck_assert_uint_eq(until[0].freed, 100);
}

TEST(moments_are_found)
{
    struct mp_profile *profile = phases();
    const struct mp_timeline *timeline = profile->timeline;

    ck_assert_uint_eq(mp_timeline_find(timeline, MP_MOMENT_PEAK), 2);
    ck_assert_uint_eq(mp_timeline_find(timeline, MP_MOMENT_SNAPSHOT), MP_NO_ID);
    ck_assert_uint_eq(mp_timeline_find(NULL, MP_MOMENT_START), MP_NO_ID);
    ck_assert_uint_eq(mp_timeline_at(timeline, 9, false), 0);
    ck_assert_uint_eq(mp_timeline_at(timeline, 20, false), 3);
    timeline->moments[3].has_changes = false;
    ck_assert_uint_eq(mp_timeline_at(timeline, 20, true), 2);
}

TEST(a_moment_that_is_merged_counts_for_the_next)
{
    struct mp_profile *profile = phases();
    const bool second[5] = {[3] = true}, none[5] = {false};
    struct mp_timeline *whole = profile->timeline;

    profile->timeline = mp_timeline_thin(whole, second, profile->arena);
    ck_assert_uint_eq(profile->timeline->n_changes, 3);
    ck_assert(!profile->timeline->moments[1].has_changes);
    must_live(profile, 3, 2000, 2);
    must_live(profile, 4, 2050, 3);
    assert_valid(profile);
    profile->timeline = mp_timeline_thin(whole, none, profile->arena);
    ck_assert_uint_eq(profile->timeline->n_changes, 0);
    must_live(profile, 0, 0, 0);
    must_live(profile, 4, 2050, 3);
    assert_valid(profile);
    ck_assert_uint_eq(whole->n_changes, 4);
}

TEST(a_view_has_its_own_contexts)
{
    const struct mp_view_options options = {.skip.wrappers = true};
    struct mp_profile *view = keep_view(phases(), &options);

    assert_valid(view);
    must_live(view, 1, 100, 1);
    must_live(view, 3, 2000, 1);        /* of b and its wrapper together */
    must_live(view, 4, 2050, 2);
}

TEST(a_view_of_objects_has_no_other_changes)
{
    const struct mp_view_options options = {.lisp_only = true};
    struct mp_profile *view = keep_view(phases(), &options);

    assert_valid(view);
    must_live(view, 3, 0, 0);
}

static void
must_filter(enum mp_filter_by by, const char *text, int64_t first, int64_t second)
{
    const struct mp_view_options options = {.frames = MP_FRAMES_ALL};
    struct mp_profile *profile = phases();
    struct mp_profile *view = keep_view(profile, &options);
    struct mp_filters filters = {.n = 0};
    struct mp_counts undecided;
    uint32_t n;

    ck_assert(mp_filters_add(&filters, by, text, &error));
    ck_assert(mp_filter(view, profile, &filters, &undecided, &error));
    assert_valid(view);
    ck_assert_int_eq(live_at(view, 1, &n), first);
    ck_assert_int_eq(live_at(view, 3, &n), second);
    mp_filters_free(&filters);
}

TEST(filters_take_changes_out)
{
    must_filter(MP_FILTER_FUNCTION, "^a$", 100, 0);
    must_filter(MP_FILTER_FUNCTION, "^xmalloc$", 0, 1000);
    must_filter(MP_FILTER_ROOT, "^b$", 0, 2000);
    must_filter(MP_FILTER_SIZE, "10", 100, 0);
    must_filter(MP_FILTER_SIZE, "1000", 0, 2000);
}

TEST(a_focus_takes_changes_out)
{
    const struct mp_view_options options = {.focus = "xmalloc"};
    struct mp_profile *view = keep_view(phases(), &options);

    must_live(view, 1, 0, 0);
    must_live(view, 3, 1000, 1);
}

/* Returns a time line of an observer. At time 12 it saw A's blocks and one of B's, at time 25 all blocks and one more
 * of B's. */
static struct mp_timeline *
seen(const struct mp_profile *profile)
{
    static struct mp_change changes[4];
    static struct mp_moment moments[3] = {
        {.kind = MP_MOMENT_START, .name = "", .has_changes = true},
        {.kind = MP_MOMENT_SEEN, .time = 12, .name = "", .has_changes = true, .n_changes = 2},
        {.kind = MP_MOMENT_SEEN, .time = 25, .name = "", .has_changes = true, .first_change = 2,
         .n_changes = 2}};
    static struct mp_timeline line = {.moments = moments, .n_moments = 3, .changes = changes,
                                      .n_changes = 4, .interval = 5};
    const uint32_t a = pb_context(profile, "a"), b = pb_context(profile, "b");
    const bool first = a < b;

    changes[!first] = (struct mp_change){a, SMALL, 10, 100, 0, 0, 0};
    changes[first] = (struct mp_change){b, LARGE, 1, 400, 0, 0, 0};
    changes[2 + !first] = (struct mp_change){a, SMALL, 0, 0, 10, 100, 0};
    changes[2 + first] = (struct mp_change){b, LARGE, 1, 700, 0, 0, 0};
    return &line;
}

TEST(two_time_lines_become_one)
{
    struct mp_profile *profile = phases();

    profile->timeline = mp_timeline_join(profile->timeline, seen(profile), profile->arena);
    mp_timeline_add_moment(profile->timeline, (struct mp_moment){
        .kind = MP_MOMENT_END, .time = 30, .name = "", .has_changes = true}, profile->arena);
    mp_timeline_add_moment(profile->timeline, (struct mp_moment){
        .kind = MP_MOMENT_SNAPSHOT, .time = 30, .name = ""}, profile->arena);
    assert_valid(profile);
    ck_assert_uint_eq(profile->timeline->n_moments, 8);
    ck_assert_uint_eq(profile->timeline->interval, 5);
    must_live(profile, 1, 100, 1);      /* the first checkpoint, as it was */
    must_live(profile, 2, 500, 2);      /* seen */
    must_live(profile, 4, 2000, 2);     /* the second checkpoint */
    must_live(profile, 5, 2100, 2);     /* seen: 100 more of b */
    ck_assert_int_eq(profile->timeline->moments[6].kind, MP_MOMENT_SNAPSHOT);
    ck_assert_int_eq(profile->timeline->moments[7].kind, MP_MOMENT_END);
    must_live(profile, 7, 2050, 3);
}

/* ---------------------------------------------------------------- points */

TEST(live_bytes_are_on_the_line_between_two_points)
{
    struct mp_point points[] = {{.time = 10, .live_lisp = MP_NOT_SEEN},
                                {.time = 110, .live = 1000, .live_lisp = 500},
                                {.time = 111, .live = 400, .live_lisp = MP_NOT_SEEN},
                                {.time = 211, .live = 400, .live_lisp = 298}};
    const struct mp_timeline line = {.points = points, .n_points = 4};

    ck_assert(mp_timeline_live_at(&line, 9, false) == MP_NOT_SEEN);
    ck_assert_uint_eq(mp_timeline_live_at(&line, 10, false), 0);
    ck_assert_uint_eq(mp_timeline_live_at(&line, 60, false), 500);
    ck_assert_uint_eq(mp_timeline_live_at(&line, 110, false), 1000);
    ck_assert_uint_eq(mp_timeline_live_at(&line, 111, false), 400);
    ck_assert_uint_eq(mp_timeline_live_at(&line, 150, false), 400);
    ck_assert_uint_eq(mp_timeline_live_at(&line, 300, false), 400);
    ck_assert(mp_timeline_live_at(&line, 60, true) == MP_NOT_SEEN);
    ck_assert_uint_eq(mp_timeline_live_at(&line, 111, true), 498);
    ck_assert_uint_eq(mp_point_crossing(&points[0], &points[1], 250), 35);
    ck_assert_uint_eq(mp_point_crossing(&points[1], &points[2], 400), 111);
}

/* A rise, a flat time, a jump at one time, and a fall; each has many points. */
TEST(removed_points_were_near_the_line)
{
    struct mp_point all[400], few[400];
    const struct mp_timeline line = {.points = few, .n_points = 400};
    struct mp_timeline left = line;

    for (uint32_t i = 0; i < 400; i++)
        all[i] = (struct mp_point){.time = i < 200 ? i : i - 1, .live = i < 100 ? i * 10 + i % 3 :
                                   i < 200 ? 1000 : i < 300 ? 9000 : 9000 - (i - 300) * 10};
    for (uint64_t near = 2; near < 2000; near *= 2) {
        memcpy(few, all, sizeof all);
        left.n_points = mp_points_straighten(few, 400, near);
        ck_assert_uint_le(left.n_points, 10);
        for (uint32_t i = 0; i < 400; i++) {
            const uint64_t live = mp_timeline_live_at(&left, all[i].time, false);

            if (i != 199)       /* the time of the jump has two values */
                ck_assert_uint_le(live > all[i].live ? live - all[i].live : all[i].live - live, near + 1);
        }
    }
    ck_assert_uint_eq(mp_points_straighten(few, 1, 1), 1);
    ck_assert_uint_eq(mp_points_straighten(few, 0, 1), 0);
}
/* SPDX-License-Identifier: MIT */
