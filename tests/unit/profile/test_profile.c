#include "tests/unit/tap.h"

#include <stdint.h>
#include <string.h>

#include "reporter/base/text.h"
#include "reporter/profile/profile.h"

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

/* root - 0 - 0 - 0; root - NO_RULE - 0; root - DEPTH - 0; root - MEMORY - 0 */
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
    struct mp_profile *profile = mp_profile_new();

    profile->frames = frames;
    profile->n_frames = 4;
    profile->contexts = contexts;
    profile->n_contexts = 10;
    profile->cells = cells;
    profile->n_cells = 5;
    mp_profile_set_kept(profile);
    return profile;
}

TEST(totals_sum_all_cells)
{
    struct mp_profile *profile = profile_with_marks();
    struct mp_totals totals;

    mp_profile_totals(profile, &totals);
    ck_assert_uint_eq(totals.all.allocs, 27);
    ck_assert_uint_eq(totals.all.bytes, 540);
    ck_assert_uint_eq(totals.all.frees, 6);
    ck_assert_uint_eq(totals.all.freed, 60);
    ck_assert_uint_eq(totals.all.temporary, 1);
    ck_assert_uint_eq(totals.all.kept_blocks, 21);
    ck_assert_uint_eq(totals.all.kept, 480);
    mp_profile_free(profile);
}

TEST(totals_tell_cut_chains_from_those_cut_by_request)
{
    struct mp_profile *profile = profile_with_marks();
    struct mp_totals totals;

    mp_profile_totals(profile, &totals);
    ck_assert_uint_eq(totals.cut_allocs, 12);
    ck_assert_uint_eq(totals.cut_contexts, 2);
    ck_assert_uint_eq(totals.depth_cut_allocs, 5);
    mp_profile_free(profile);
}

TEST(marks_are_no_frames_of_the_longest_chain)
{
    struct mp_profile *profile = profile_with_marks();
    struct mp_totals totals;

    mp_profile_totals(profile, &totals);
    ck_assert_uint_eq(totals.depth_max, 3);
    mp_profile_free(profile);
}

static void
assert_cleaned(const char *text, const char *expected)
{
    struct mp_arena *arena = mp_arena_new();

    ck_assert_str_eq(mp_text_clean(arena, text, strlen(text)), expected);
    ck_assert_str_eq(mp_text_clean(arena, expected, strlen(expected)), expected);
    mp_arena_free(arena);
}

TEST(control_characters_are_escaped)
{
    assert_cleaned("a\x1b[31mb\n\x7f", "a\\x1b[31mb\\x0a\\x7f");
    assert_cleaned("c1 \xc2\x9b" "31m", "c1 \\xc2\\x9b31m");
}

TEST(valid_utf8_stays)
{
    assert_cleaned("Gr\xc3\xb6\xc3\x9f" "e \xe2\x82\xac \xf0\x9f\x90\x84",
                   "Gr\xc3\xb6\xc3\x9f" "e \xe2\x82\xac \xf0\x9f\x90\x84");
}

TEST(invalid_utf8_is_escaped)
{
    assert_cleaned("\xff.\xc3", "\\xff.\\xc3");
    assert_cleaned("\xc0\xaf", "\\xc0\\xaf");                   /* overlong */
    assert_cleaned("\xe0\x80\xaf", "\\xe0\\x80\\xaf");
    assert_cleaned("\xed\xa0\x80", "\\xed\\xa0\\x80");          /* surrogate */
    assert_cleaned("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"); /* beyond the end */
    assert_cleaned("\xe2\x82", "\\xe2\\x82");
}

TEST(basename_is_the_last_component)
{
    ck_assert_str_eq(mp_text_basename("/usr/lib/libfoo.so.1"), "libfoo.so.1");
    ck_assert_str_eq(mp_text_basename("[vdso]"), "[vdso]");
}
