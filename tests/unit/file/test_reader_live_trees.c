#include "tests/unit/tap.h"

#include "reporter/file/reader.h"
#include "tests/unit/profile_checks.h"
#include "tests/unit/reader_live_fixture.h"

FIXTURE(set_up, NULL)

TEST(trees_of_two_recorders_merge_by_path)
{
    uint32_t module = lb_module(&b, "/bin/p", 0x1000, 1);
    uint32_t f = lb_frame(&b, module, 0x1100), g = lb_frame(&b, module, 0x1200);
    struct mp_profile *profile;

    lb_cell(&b, lb_context(&b, lb_context(&b, 0, f), g), 16, 3, 0);
    lb_cell(&b, lb_context(&b, lb_context(&b, 0, f), g), 16, 4, 1);
    profile = must_read();
    ck_assert_uint_eq(profile->n_contexts, 3);
    ck_assert_uint_eq(profile->n_cells, 1);
    ck_assert_uint_eq(profile->cells[0].counts.allocs, 7);
    ck_assert_uint_eq(profile->cells[0].counts.frees, 1);
}

TEST(children_gathered_from_several_trees_merge_too)
{
    uint32_t module = lb_module(&b, "/bin/p", 0x1000, 1), frames[4], roots[3];
    struct mp_profile *profile;

    for (uint32_t i = 0; i < 4; i++)
        frames[i] = lb_frame(&b, module, 0x1100 + i);
    for (int i = 0; i < 3; i++)
        roots[i] = lb_context(&b, 0, frames[0]);
    for (uint32_t i = 0; i < 9; i++)
        lb_cell(&b, lb_context(&b, roots[i % 3], frames[1 + i * 7 % 3]), 8, 1, 0);
    profile = must_read();
    ck_assert_uint_eq(profile->n_contexts, 5);
    ck_assert_uint_eq(profile->n_cells, 3);
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert_uint_eq(profile->cells[i].counts.allocs, 3);
        ck_assert_uint_eq(profile->contexts[2 + i].parent, 1);
    }
}

TEST(a_module_loaded_again_gives_the_same_frames)
{
    uint32_t first = lb_module(&b, "/lib/plugin.so", 0x10000, 7);
    uint32_t again = lb_module(&b, "/lib/plugin.so", 0x90000, 7);
    uint32_t other = lb_module(&b, "/lib/plugin.so", 0xd0000, 8);
    struct mp_profile *profile;

    b.modules[0].unloaded = 1;
    lb_cell(&b, lb_context(&b, 0, lb_frame(&b, first, 0x10123)), 16, 1, 0);
    lb_cell(&b, lb_context(&b, 0, lb_frame(&b, again, 0x90123)), 16, 1, 0);
    lb_cell(&b, lb_context(&b, 0, lb_frame(&b, other, 0xd0123)), 16, 1, 0);
    profile = must_read();
    ck_assert_uint_eq(profile->n_modules, 3);
    ck_assert_uint_eq(profile->n_frames, 2);
    ck_assert_uint_eq(profile->cells[0].counts.allocs, 2);
    ck_assert(profile->modules[0].unloaded);
}

TEST(a_signalled_frame_is_another_frame)
{
    uint32_t module = lb_module(&b, "/bin/p", 0x1000, 1), f = lb_frame(&b, module, 0x1100);
    uint32_t g = lb_frame(&b, module, 0x1100);
    struct mp_profile *profile;

    b.frames[1].flags |= MP_LIVE_FRAME_SIGNAL;
    lb_cell(&b, lb_context(&b, 0, f), 16, 1, 0);
    lb_cell(&b, lb_context(&b, 0, g), 16, 1, 0);
    profile = must_read();
    ck_assert_uint_eq(profile->n_frames, 2);
    ck_assert(!profile->frames[0].exact);
    ck_assert(profile->frames[1].exact);
}

TEST(marks_become_frames)
{
    uint32_t cut = lb_context(&b, 0, MP_FRAME_CUT_NO_RULE);
    struct mp_profile *profile;
    struct mp_totals totals;

    lb_cell(&b, lb_context(&b, cut, lb_frame(&b, 0, 0x1100)), 16, 5, 0);
    profile = must_read();
    ck_assert_uint_eq(profile->frames[0].mark, MP_FRAME_CUT_NO_RULE);
    ck_assert_uint_eq(profile->frames[1].module, MP_NO_ID);
    ck_assert_uint_eq(profile->frames[1].offset, 0x1100);
    mp_profile_totals(profile, &totals);
    ck_assert_uint_eq(totals.cut_allocs, 5);
}

TEST(ids_may_begin_anywhere_and_extents_may_be_many)
{
    struct mp_profile *profile, *plain;

    lb_widgets(&b);
    plain = must_read();
    lb_init(&b);
    b.first[MP_EXT_CONTEXTS] = 1000;
    b.first[MP_EXT_CELLS] = 77;
    b.first[MP_EXT_FRAMES] = 4000;
    b.first[MP_EXT_MODULES] = 9;
    b.first[MP_EXT_STRINGS] = 4096;
    b.split = 1;
    lb_widgets(&b);
    profile = must_read();
    assert_equal_but_for_file(profile, plain);
}

TEST(strings_are_escaped)
{
    struct mp_profile *profile;

    b.header.program = lb_string(&b, "/tmp/\x1b]0;evil\a\xff");
    profile = must_read();
    ck_assert_str_eq(profile->meta.program, "/tmp/\\x1b]0;evil\\x07\\xff");
}
/* SPDX-License-Identifier: MIT */
