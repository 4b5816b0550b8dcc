#include "tests/unit/tap.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/draw/plot.h"
#include "tests/unit/golden.h"
#include "tests/unit/profile_builder.h"

enum { SMALL = MP_KIND_SMALL, LARGE = MP_KIND_LARGE };

static struct mp_profile *profile;
static struct mp_plot *plot;

/* At 100 ns, f has 30 live bytes and g has 10. At the end, at 200 ns, f has 60 and g has 20. The totals are 41 at
 * 100 ns, 100 at 150 ns, and 80 at the end. */
static void
set_up(void)
{
    static struct mp_point points[] = {{.time = 0}, {.time = 50, .live = 7}, {.time = 100, .live = 41},
                                       {.time = 125, .live = MP_NOT_SEEN}, {.time = 150, .live = 100}};
    static const struct mp_moment moments[] = {
        {.kind = MP_MOMENT_START, .name = "", .has_changes = true},
        {.kind = MP_MOMENT_SEEN, .time = 100, .name = "", .has_changes = true, .n_changes = 2},
        {.kind = MP_MOMENT_END, .time = 200, .name = "", .has_changes = true, .first_change = 2}};

    profile = PROFILE_OF({"main;f", SMALL, 2, 60, 0, 0}, {"main;g", LARGE, 2, 20, 0, 0});
    pb_timeline(profile, moments, 3,
                (const struct mp_change[]){{pb_context(profile, "f"), SMALL, 1, 30, 0, 0, 0},
                                           {pb_context(profile, "g"), LARGE, 1, 10, 0, 0, 0}}, 2);
    profile->timeline->points = points;
    profile->timeline->n_points = sizeof points / sizeof *points;
}

static void
tear_down(void)
{
    mp_plot_free(plot);
}

static void
draw(bool part)
{
    plot = mp_plot_new(profile, &(struct mp_plot_options){.by = MP_PLOT_FUNCTION, .part = part,
                                                          .to = UINT64_MAX});
    ck_assert_uint_eq(plot->n_parts, 2);
    ck_assert_str_eq(plot->names[0], "f");
}

static void
check_step(uint32_t step, uint64_t time, double f, double g)
{
    ck_assert_uint_eq(plot->steps[step], time);
    ck_assert_double_eq_tol(plot->heights[2 * step], f, 1e-9);
    ck_assert_double_eq_tol(plot->heights[2 * step + 1], g, 1e-9);
}

/* Checks that STEP is at TIME and that no parts were counted there, but a total of REST bytes. */
static void
check_rest(uint32_t step, uint64_t time, double rest)
{
    check_step(step, time, 0, 0);
    ck_assert_double_eq_tol(plot->rest[step], rest, 1e-9);
}

FIXTURE(set_up, tear_down)

/* The parts of a moment are shown for at most 5 ns to each side. */
TEST(between_moments_parts_are_not_counted)
{
    draw(false);
    ck_assert_uint_eq(plot->n_steps, 13);
    check_step(0, 0, 0, 0);
    check_step(1, 5, 0, 0);
    check_rest(2, 5, 0);
    check_rest(3, 50, 7);
    check_rest(4, 95, 37);
    check_step(5, 95, 30, 10);
    check_step(6, 100, 30, 10);
    check_step(7, 100, 30, 10);         /* then the total rises too fast */
    check_rest(8, 100, 41);
    check_rest(9, 150, 100);
    check_rest(10, 200, 100);
    check_step(11, 200, 60, 20);
    check_step(12, 200, 60, 20);
    ck_assert_uint_eq(plot->highest, 100);
}

TEST(a_part_has_no_total)
{
    draw(true);
    ck_assert_uint_eq(plot->n_steps, 11);
    check_step(1, 5, 0, 0);
    check_rest(2, 5, 0);
    check_rest(3, 95, 0);
    check_step(4, 95, 30, 10);
    check_step(5, 100, 30, 10);
    check_step(10, 200, 60, 20);
}

static const char *
picture(const char *title)
{
    char *text;
    FILE *out = golden_stream(&text);

    mp_plot_svg(plot, title, out);
    return golden_close(out, &text);
}

TEST(the_picture_says_what_was_not_counted)
{
    draw(false);
    must_have(picture(""), "parts were not counted");
}

/* Moments are near each other if there are many, and the total is on the line between them. */
TEST(all_is_counted_if_there_are_enough_moments)
{
    enum { N = 21 };
    struct mp_moment *moments = profile->timeline->moments = mp_arena_alloc(profile->arena, N * sizeof *moments);

    for (uint32_t i = 0; i < N; i++)
        moments[i] = (struct mp_moment){.kind = i == 0 ? MP_MOMENT_START : MP_MOMENT_SEEN, .time = 10 * i, .name = "",
                                        .has_changes = true, .n_changes = i > 0 ? 2 : 0, .first_change = 0};
    profile->timeline->n_moments = N;
    profile->timeline->n_points = 0;
    draw(false);
    ck_assert_uint_eq(plot->n_steps, N);
    must_lack(picture(""), "not counted");
}
/* SPDX-License-Identifier: MIT */
