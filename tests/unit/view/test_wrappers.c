/* Wrappers are found by their behaviour. */
#include "tests/unit/tap.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/view/skip.h"
#include "reporter/view/wrappers.h"
#include "tests/unit/profile_builder.h"

/* A row of 1,000 blocks of SIZE bytes. */
#define OF(chain, size) {chain, MP_KIND_LARGE, 1000, 1000 * (size), 0, 0}

/* Returns "get 5" for each wrapper of ROWS with the number of callers that it serves, separated by commas. */
static const char *
wrappers_of(const struct pb_row rows[])
{
    struct mp_profile *profile = pb_done(pb_of(rows));
    struct mp_arena *arena = keep_arena();
    const uint32_t *served = mp_wrappers_find(profile, mp_skip_wrappers(profile, arena), arena);
    const char *text = "";

    for (uint32_t i = 0; i < profile->n_functions; i++)
        if (served[i] > 0)
            text = mp_arena_printf(arena, "%s%s%s %u", text, *text ? ", " : "", profile->functions[i].text,
                                   (unsigned)served[i]);
    return text;
}

enum { ROWS = 12 };

static const struct {
    const char *name;
    struct pb_row rows[ROWS];
    const char *found;
} cases[] = {
    {"nothing", {{0}}, ""},
    {"five callers, sizes four times apart",
     {OF("main;a;get", 100), OF("main;b;get", 100), OF("main;c;get", 100), OF("main;d;get", 100),
      OF("main;e;get", 400)}, "get 5"},
    {"five callers, sizes less far apart",
     {OF("main;a;get", 100), OF("main;b;get", 100), OF("main;c;get", 100), OF("main;d;get", 100),
      OF("main;e;get", 399)}, ""},
    {"four callers",
     {OF("main;a;get", 100), OF("main;b;get", 100), OF("main;c;get", 100), OF("main;d;get", 400)}, ""},
    {"three callers, sizes far apart", {OF("main;a;get", 10), OF("main;b;get", 10), OF("main;c;get", 640)}, "get 3"},
    {"two callers, sizes apart", {OF("main;a;get", 16), OF("main;b;get", 256)}, "get 2"},
    {"two callers, sizes less far apart", {OF("main;a;get", 16), OF("main;b;get", 255)}, ""},
    {"two calls in one caller", {OF("main;a;get", 16), OF("main;a@2;get", 1024)}, "get 1"},
    {"two calls in one caller, sizes less far apart", {OF("main;a;get", 16), OF("main;a@2;get", 1023)}, ""},
    {"three calls in one caller", {OF("main;a;get", 8), OF("main;a@2;get", 8), OF("main;a@3;get", 128)}, "get 1"},
    {"one call of a function that allocates in three places",
     {OF("main;a;get", 16), OF("main;a@2;get@2", 1024), OF("main;a@3;get@3", 1024)}, ""},
    {"one call", {OF("main;a;get", 16), OF("main;a;get", 4096)}, ""},
    {"a maker of objects: many callers, one size",
     {OF("main;a;make", 100), OF("main;b;make", 100), OF("main;c;make", 100), OF("main;d;make", 100),
      OF("main;e;make", 100)}, ""},
    {"wrappers of wrappers",
     {OF("main;a;get;take", 100), OF("main;b;get;take", 100), OF("main;c;get;take", 100), OF("main;d;get;take", 100),
      OF("main;e;get;take", 400)}, "get 5, take 5"},
    {"what a library allocates for it",
     {OF("main;a;get;libc.so.6!copy", 16), OF("main;b;get;libc.so.6!copy", 256)}, "get 2"},
    {"it makes something itself, too",
     {OF("main;a;get", 16), OF("main;b;get", 256), OF("main;b;get;part", 64)}, ""},
    {"recursion is one caller", {OF("main;a;a;get", 16), OF("main;a;get", 256)}, ""},
    {"an inlined wrapper", {OF("main;a/get", 16), OF("main;b/get", 256)}, "get 2"},
    {"little of all",
     {OF("main;a;get", 16), OF("main;b;get", 256), {"main;c", MP_KIND_LARGE, 1000000, 100000000, 0, 0}}, ""},
};

TEST_CASES(wrappers_are_known_by_their_callers, cases)
{
    ck_assert_str_eq(wrappers_of(cases[_i].rows), cases[_i].found);
}

/* The rule finds wrappers that are known by name, when their callers ask for different sizes. */
TEST(known_wrappers_behave_like_wrappers)
{
    struct mp_arena *arena = keep_arena();

    for (size_t i = 0; mp_wrappers[i]; i++) {
        struct mp_profile *profile;
        const bool *none;

        if (strchr(mp_wrappers[i], '<') || strchr(mp_wrappers[i], ':') || strstr(mp_wrappers[i], "operator"))
            continue;
        profile = PROFILE_OF(OF(mp_arena_printf(arena, "main;a;%s", mp_wrappers[i]), 16),
                             OF(mp_arena_printf(arena, "main;b;%s", mp_wrappers[i]), 256));
        none = mp_arena_alloc(arena, profile->n_functions * sizeof *none);
        ck_assert_uint_eq(mp_wrappers_find(profile, none, arena)[pb_function(profile, mp_wrappers[i])], 2);
    }
}

/* A view names the wrapper through which most blocks of a place came. */
TEST(a_view_remembers_through_what)
{
    const struct mp_view_options options = {.skip.wrappers = true};
    struct mp_profile *profile = PROFILE_OF(OF("main;a;get", 16), OF("main;b;get", 256), OF("main;c", 8),
                                            {"main;a;strdup", MP_KIND_LARGE, 10, 10, 0, 0});
    const struct mp_profile *view = keep_view(profile, &options);
    uint32_t seen = 0;

    ck_assert_ptr_nonnull(view->through);
    for (uint32_t i = 0; i < view->n_cells; i++) {
        const uint32_t through = view->through[view->cells[i].context];
        const struct mp_frame *frame = &view->frames[view->contexts[view->cells[i].context].frame];

        if (strcmp(view->functions[view->locations[frame->first_location].function].text, "c") == 0) {
            ck_assert_uint_eq(through, MP_NO_ID);
        } else {
            ck_assert_str_eq(view->functions[through].text, "get");
            ck_assert_uint_eq(view->served[through], 2);
            seen++;
        }
    }
    ck_assert_uint_eq(seen, 2);
}
/* SPDX-License-Identifier: MIT */
