#include "tests/unit/tap.h"

#include <stdint.h>
#include <string.h>

#include "reporter/graph/bad_frees.h"
#include "reporter/profile/cells.h"
#include "reporter/profile/lifetimes.h"
#include "tests/unit/profile_builder.h"
#include "tests/unit/profile_checks.h"

TEST(new_profile_has_a_root)
{
    struct mp_profile *profile = mp_profile_new();
    struct mp_totals totals;

    ck_assert_uint_eq(profile->n_contexts, 1);
    ck_assert_uint_eq(profile->contexts[0].frame, MP_NO_ID);
    ck_assert_str_eq(profile->meta.program, "");
    mp_profile_totals(profile, &totals);
    ck_assert_uint_eq(totals.all.allocs, 0);
    ck_assert_uint_eq(totals.depth_max, 0);
    mp_profile_free(profile);
    mp_profile_free(NULL);
}

/* Returns a profile with the chains of frames 0 0 0, NO_RULE 0, DEPTH 0, and MEMORY 0, from the root inwards. */
static struct mp_profile *
profile_with_marks(void)
{
    static struct mp_frame frames[] = {
        {.mark = 0}, {.mark = MP_FRAME_CUT_NO_RULE}, {.mark = MP_FRAME_CUT_DEPTH},
        {.mark = MP_FRAME_CUT_MEMORY}};
    static struct mp_context contexts[] = {{0, MP_NO_ID}, {0, 0}, {1, 0}, {2, 0}, {0, 1},
                                           {4, 0},        {0, 2}, {6, 0}, {0, 3}, {8, 0}};
    static struct mp_cell cells[] = {
        {.context = 3, .kind = 0, .counts = {.allocs = 10, .bytes = 100, .frees = 4, .freed = 40,
                                             .temporary = 1}},
        {.context = 5, .kind = 0, .counts = {.allocs = 2, .bytes = 20, .frees = 2, .freed = 20}},
        {.context = 5, .kind = 1, .counts = {.allocs = 3, .bytes = 300}},
        {.context = 7, .kind = 0, .counts = {.allocs = 5, .bytes = 50}},
        {.context = 9, .kind = 0, .counts = {.allocs = 7, .bytes = 70}}};
    struct mp_profile *profile = keep_profile(mp_profile_new());

    profile->frames = frames;
    profile->n_frames = 4;
    profile->contexts = contexts;
    profile->n_contexts = 10;
    profile->cells = cells;
    profile->n_cells = 5;
    mp_profile_set_kept(profile);
    return profile;
}

/* Marks do not count as frames of the longest chain. */
TEST(totals_sum_all_cells)
{
    struct mp_totals totals;

    mp_profile_totals(profile_with_marks(), &totals);
    assert_counts(&totals.all, (struct mp_counts){
        .allocs = 27, .bytes = 540, .frees = 6, .freed = 60, .temporary = 1, .kept_blocks = 21, .kept = 480});
    ck_assert_uint_eq(totals.cut_allocs, 12);
    ck_assert_uint_eq(totals.cut_contexts, 2);
    ck_assert_uint_eq(totals.depth_cut_allocs, 5);
    ck_assert_uint_eq(totals.depth_max, 3);
}

/* Views share the rest of their profile's cells, so merging cells of a view must not change it. */
TEST(merging_cells_changes_nothing_that_they_share)
{
    struct mp_lifetimes lifetimes = {.blocks = {3}, .bytes = {48}};
    struct mp_cell_rest rest = {.counts = {.reallocs = 2, .spread = {.kept = 1}}, .lifetimes = &lifetimes};
    struct mp_cell cells[] = {{.context = 1, .counts = {.allocs = 5}, .rest = &rest},
                              {.context = 2, .counts = {.allocs = 7}, .rest = &rest},
                              {.context = 1, .counts = {.allocs = 6}, .rest = &rest},
                              {.context = 1, .counts = {.allocs = 9}}};
    struct mp_arena *arena = mp_arena_new();

    ck_assert_uint_eq(mp_cells_merge(cells, 4, arena), 2);
    assert_cell(&cells[0], (struct mp_counts){.allocs = 20, .reallocs = 4});
    ck_assert_uint_eq(mp_cell_lifetimes(&cells[0])->blocks[0], 6);
    assert_cell(&cells[1], (struct mp_counts){.allocs = 7, .reallocs = 2});
    ck_assert_uint_eq(rest.counts.reallocs, 2);
    ck_assert_uint_eq(lifetimes.blocks[0], 3);
    mp_arena_free(arena);
}

TEST(a_cell_has_a_rest_only_if_something_is_in_it)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_cell cell = {.context = 1};

    _Static_assert(sizeof cell <= 96, "profile.h states the size of a cell");
    mp_cell_set_counts(&cell, &(struct mp_counts){.allocs = 5, .bytes = 80}, arena);
    ck_assert_ptr_null(cell.rest);
    mp_cell_set_counts(&cell, &(struct mp_counts){.allocs = 5, .bytes = 80, .requested = 1}, arena);
    assert_cell(&cell, (struct mp_counts){.allocs = 5, .bytes = 80, .requested = 1});
    mp_arena_free(arena);
}

/* Writing the text of a chain takes memory that is linear in the depth. Quadratic memory would be 20 GB here. */
TEST(a_faulty_free_below_a_deep_recursion_has_a_text)
{
    enum { DEPTH = 50000 };
    static const char begin[] = "of memory that was freed already: main";
    struct mp_profile *profile = PROFILE_OF({"main;recursive_descent", MP_KIND_SMALL, 1, 8, 0, 0});
    struct mp_context *contexts = mp_arena_alloc(profile->arena, DEPTH * sizeof *contexts);
    struct mp_bad_free place = {MP_FREED_AGAIN, DEPTH - 1, 1};
    const struct mp_bad_frees frees = {.of = profile, .places = &place, .n = 1};
    const char *text;

    memcpy(contexts, profile->contexts, profile->n_contexts * sizeof *contexts);
    for (uint32_t i = 3; i < DEPTH; i++)
        contexts[i] = (struct mp_context){.parent = i - 1, .frame = contexts[2].frame};
    profile->contexts = contexts;
    profile->n_contexts = DEPTH;
    text = mp_bad_free_place(&frees, &place, profile->arena);
    ck_assert_msg(strncmp(text, begin, strlen(begin)) == 0, "%.80s", text);
    ck_assert_uint_eq(strlen(text), strlen(begin) + (DEPTH - 2) * strlen(" > recursive_descent"));
}
/* SPDX-License-Identifier: MIT */
