#include "tests/unit/tap.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reporter/read/reader.h"
#include "tests/unit/profile_checks.h"
#include "tests/unit/reader_live_fixture.h"

/* ---------------------------------------------------------------- the whole */

START_TEST(the_papers_example)
{
    struct mp_profile *profile;
    struct mp_totals totals;

    lb_widgets(&b);
    profile = must_read();
    mp_profile_totals(profile, &totals);
    ck_assert_uint_eq(totals.all.allocs, 10000);
    ck_assert_uint_eq(totals.all.bytes, 2040000);
    ck_assert_uint_eq(totals.all.frees, 4981);
    ck_assert_uint_eq(totals.all.kept, 1023876);
    ck_assert_uint_eq(totals.depth_max, 4);
    ck_assert_uint_eq(profile->n_contexts, 7);
    ck_assert_uint_eq(profile->bins[204].bytes, 2040000);
    ck_assert_uint_eq(profile->bins[204].freed, 4981 * 204);
    ck_assert_str_eq(profile->meta.program, "/home/zorn/widgets");
    ck_assert_uint_eq(profile->meta.n_arguments, 2);
    ck_assert_str_eq(profile->meta.arguments[1], "10000");
    ck_assert_uint_eq(profile->meta.recorders, 1);
    ck_assert_uint_eq(profile->meta.threads, 1);
    ck_assert_uint_eq(profile->meta.duration, 2500);
    ck_assert_str_eq(profile->modules[1].name, "libc.so.6");
    ck_assert_uint_eq(profile->cells[0].size_min, 204);
    mp_profile_free(profile);
}
END_TEST

START_TEST(a_file_without_records_is_a_profile)
{
    struct mp_profile *profile = must_read();

    ck_assert_uint_eq(profile->n_contexts, 1);
    ck_assert_uint_eq(profile->n_cells, 0);
    mp_profile_free(profile);
}
END_TEST

START_TEST(blocks_of_realloc_are_summed)
{
    const uint32_t f = lb_frame(&b, 0, 0x1100);
    const uint32_t one = lb_context(&b, 0, f), other = lb_context(&b, 0, f);    /* two threads' */
    struct mp_profile *profile;
    const struct mp_counts *counts;

    lb_cell(&b, one, 16, 5, 0);
    lb_cell(&b, other, 16, 5, 0);
    b.resized[b.count[MP_EXT_RESIZED]++] = (struct mp_live_resized){
        .context = one, .reallocs = 5, .moved = 40, .steps = 4, .steps_from = 32, .steps_by = 16};
    b.resized[b.count[MP_EXT_RESIZED]++] = (struct mp_live_resized){.reallocs = 77};    /* not in use */
    b.resized[b.count[MP_EXT_RESIZED]++] = (struct mp_live_resized){
        .context = other, .reallocs = 1, .moved = 2, .steps = 1, .steps_from = 4, .steps_by = 8};
    profile = must_read();
    ck_assert_uint_eq(profile->n_cells, 1);
    counts = &profile->cells[0].counts;
    ck_assert_uint_eq(counts->reallocs, 6);
    ck_assert_uint_eq(counts->moved, 42);
    ck_assert_uint_eq(counts->steps, 5);
    ck_assert_uint_eq(counts->steps_from, 36);
    ck_assert_uint_eq(counts->steps_by, 24);
    mp_profile_free(profile);
}
END_TEST

START_TEST(other_files_are_no_data_files)
{
    static const uint8_t elf[] = "\x7f" "ELF....";

    ck_assert_ptr_null(mp_read_bytes(elf, sizeof elf, "a.out", &error));
    ck_assert_int_eq(error.code, MP_ERR_NOT_MPROF);
    ck_assert_ptr_null(mp_read_bytes(elf, 3, "a.out", &error));
    ck_assert_int_eq(error.code, MP_ERR_NOT_MPROF);
    ck_assert_ptr_null(mp_read_bytes(NULL, 0, "empty", &error));
    ck_assert_int_eq(error.code, MP_ERR_EMPTY);
    ck_assert_ptr_null(mp_read("/nowhere/mprof.data", &error));
    ck_assert_int_eq(error.code, MP_ERR_SYSTEM);
    ck_assert_ptr_null(mp_read("/dev/null", &error));
    ck_assert_int_eq(error.code, MP_ERR_NOT_MPROF);
}
END_TEST

START_TEST(another_byte_order_or_version_is_said)
{
    b.header.byte_order = 0x04030201;
    must_fail(MP_ERR_MACHINE, "x.data");
    b.header.byte_order = MP_BYTE_ORDER;
    b.header.version = 99;
    must_fail(MP_ERR_VERSION, "version 99");
}
END_TEST

/* ---------------------------------------------------------------- merging */

START_TEST(trees_of_two_recorders_merge_by_path)
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
    mp_profile_free(profile);
}
END_TEST

START_TEST(children_gathered_from_several_trees_merge_too)
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
    mp_profile_free(profile);
}
END_TEST

/* In versions 1 and 2. */
START_TEST(a_parent_may_have_the_higher_id)
{
    uint32_t module = lb_module(&b, "/bin/p", 0x1000, 1);
    uint32_t f = lb_frame(&b, module, 0x1100), g = lb_frame(&b, module, 0x1200), child;
    struct mp_profile *profile;

    child = lb_context(&b, 0, f);
    lb_context(&b, child, g);
    lb_cell(&b, child, 16, 1, 0);
    lb_turn_back(&b, 2);
    b.contexts_2[child - 1] = (struct mp_live_context_2){.frame = g, .parent = child + 1};
    b.contexts_2[child] = (struct mp_live_context_2){.frame = f};
    profile = must_read();
    ck_assert_uint_eq(profile->n_contexts, 3);
    ck_assert_uint_eq(profile->cells[0].context, 2);
    ck_assert_uint_eq(profile->frames[profile->contexts[2].frame].offset, 0x200);
    mp_profile_free(profile);
}
END_TEST

START_TEST(a_module_loaded_again_gives_the_same_frames)
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
    mp_profile_free(profile);
}
END_TEST

START_TEST(a_signalled_frame_is_another_frame)
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
    mp_profile_free(profile);
}
END_TEST

START_TEST(marks_become_frames)
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
    mp_profile_free(profile);
}
END_TEST

START_TEST(ids_may_begin_anywhere_and_extents_may_be_many)
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
END_TEST

START_TEST(strings_are_escaped)
{
    struct mp_profile *profile;

    b.header.program = lb_string(&b, "/tmp/\x1b]0;evil\a\xff");
    profile = must_read();
    ck_assert_str_eq(profile->meta.program, "/tmp/\\x1b]0;evil\\x07\\xff");
    mp_profile_free(profile);
}
END_TEST

/* ---------------------------------------------------------------- counters */

START_TEST(a_block_freed_by_another_thread_is_one_sum)
{
    uint32_t context = lb_context(&b, 0, lb_frame(&b, 0, 0x1100));
    struct mp_profile *profile;

    lb_cell(&b, context, 16, 5, 0);
    lb_cell(&b, context, 16, 0, 5);
    profile = must_read();
    ck_assert_uint_eq(profile->n_cells, 1);
    ck_assert_uint_eq(profile->cells[0].counts.frees, 5);
    ck_assert_uint_eq(profile->cells[0].size_min, 16);
    mp_profile_free(profile);
}
END_TEST

START_TEST(more_frees_than_allocations_are_damage)
{
    lb_cell(&b, lb_context(&b, 0, lb_frame(&b, 0, 0x1100)), 16, 4, 5);
    must_fail(MP_ERR_DAMAGED, "more is freed");
    ck_assert_uint_eq(error.offset, place(MP_EXT_CELLS, 0));
}
END_TEST

START_TEST(counters_beyond_all_bounds_are_damage)
{
    uint32_t context = lb_context(&b, 0, lb_frame(&b, 0, 0x1100));

    lb_objects(&b, context, MP_KIND_SMALL, 1, INT64_MAX, 0, 0);
    lb_objects(&b, context, MP_KIND_LARGE, 1, INT64_MAX, 0, 0);
    must_fail(MP_ERR_DAMAGED, "beyond all bounds");
    ck_assert_uint_eq(error.offset, place(MP_EXT_CELLS, 1));
}
END_TEST

START_TEST(bins_of_recorders_are_summed)
{
    struct mp_live_recorder *one = lb_recorder(&b), *two = lb_recorder(&b);
    struct mp_profile *profile;

    one->bins[24] = (struct mp_live_bin){.allocs = 3, .frees = 0};
    two->bins[24] = (struct mp_live_bin){.allocs = 1, .frees = 4};
    two->bins[MP_BIN_LARGE] = (struct mp_live_bin){.allocs = 2, .frees = 1};
    two->large_bytes = 5000;
    two->large_freed = 2000;
    two->threads = 3;
    profile = must_read();
    ck_assert_uint_eq(profile->bins[24].bytes, 96);
    ck_assert_uint_eq(profile->bins[24].freed, 96);
    ck_assert_uint_eq(profile->bins[MP_BIN_LARGE].bytes, 5000);
    ck_assert_uint_eq(profile->bins[MP_BIN_LARGE].freed, 2000);
    ck_assert_uint_eq(profile->meta.recorders, 2);
    ck_assert_uint_eq(profile->meta.threads, 4);
    mp_profile_free(profile);
}
END_TEST

/* Uniform cells are left out of recorders' bins, mixed ones are counted there. */
START_TEST(bins_of_uniform_cells_are_added)
{
    uint32_t context = lb_context(&b, 0, lb_frame(&b, 0, 0x1100));
    struct mp_live_recorder *recorder = lb_recorder(&b);
    struct mp_profile *profile;
    struct mp_live_cell *lisp;

    lb_cell(&b, context, 24, 7, 2);
    lb_cell(&b, context, 24, 0, 3);
    lb_cell(&b, context, 1024, 2, 1);
    lb_cell(&b, context, 1025, 2, 1);
    lb_cell(&b, context, 70000, 1, 0);
    lb_objects(&b, context, MP_KIND_SMALL, 4, 90, 1, 20);
    recorder->bins[20] = (struct mp_live_bin){.allocs = 1, .frees = 1};
    recorder->bins[24] = (struct mp_live_bin){.allocs = 2};
    recorder->bins[22] = (struct mp_live_bin){.allocs = 1};
    recorder->bins[MP_BIN_LARGE] = (struct mp_live_bin){.allocs = 1};
    recorder->large_bytes = 5000;
    lb_kind(&b, LB_CONS, LB_CONS, "CONS", 'c');
    lisp = lb_cell(&b, context, 16, 9, 0);
    lisp->kind = LB_CONS;               /* no block of malloc's: bins leave it out */
    profile = must_read();
    ck_assert_uint_eq(profile->bins[16].allocs, 0);
    ck_assert_uint_eq(profile->bins[20].frees, 1);
    ck_assert_uint_eq(profile->bins[24].allocs, 9);
    ck_assert_uint_eq(profile->bins[24].bytes, 9 * 24);
    ck_assert_uint_eq(profile->bins[24].frees, 5);
    ck_assert_uint_eq(profile->bins[24].freed, 5 * 24);
    ck_assert_uint_eq(profile->bins[1024].frees, 1);
    ck_assert_uint_eq(profile->bins[MP_BIN_LARGE].allocs, 4);
    ck_assert_uint_eq(profile->bins[MP_BIN_LARGE].bytes, 2050 + 70000 + 5000);
    ck_assert_uint_eq(profile->bins[MP_BIN_LARGE].freed, 1025);
    mp_profile_free(profile);
}
END_TEST

/* The stamp of a cell is the low half of an epoch; the high half is its recorder's. */
START_TEST(a_stamp_of_another_era_is_none)
{
    uint32_t context = lb_context(&b, 0, lb_frame(&b, 0, 0x1100));
    struct mp_live_cell *cell = lb_cell(&b, context, 16, 12, 2);
    struct mp_live_recorder *recorder = lb_recorder(&b);
    struct mp_profile *profile;

    b.header.epoch = ((uint64_t)7 << 32) + 9 * MP_EPOCH_PEAK;
    b.header.peak_bytes = 160;
    cell->recorder = 1;
    cell->stamp = 9 * MP_EPOCH_PEAK;
    cell->saved = 4;
    recorder->era = (uint64_t)6 << 32;
    profile = must_read();
    ck_assert_int_eq(profile->cells[0].counts.peak_blocks, 10);
    mp_profile_free(profile);
    recorder->era = (uint64_t)7 << 32;
    profile = must_read();
    ck_assert_int_eq(profile->cells[0].counts.peak_blocks, 4);
    ck_assert_int_eq(profile->cells[0].counts.peak_bytes, 64);
    mp_profile_free(profile);
}
END_TEST

START_TEST(a_share_of_a_mixed_cell_is_what_was_saved)
{
    struct mp_profile *profile;
    struct mp_live_mixed *mixed =
        lb_objects(&b, lb_context(&b, 0, lb_frame(&b, 0, 0x1100)), MP_KIND_SMALL, 12, 160, 12, 160);

    b.header.epoch = 9 * MP_EPOCH_PEAK;
    b.header.peak_bytes = 100;
    b.cells[0].stamp = 9 * MP_EPOCH_PEAK;
    b.cells[0].saved = 7;
    mixed->saved_bytes = 100;
    profile = must_read();
    ck_assert_int_eq(profile->cells[0].counts.peak_bytes, 100);
    ck_assert_int_eq(profile->cells[0].counts.peak_blocks, 7);
    ck_assert_uint_eq(profile->meta.peak_slack, 0);
    mp_profile_free(profile);
}
END_TEST

START_TEST(a_share_of_the_peak_is_what_was_saved)
{
    uint32_t f = lb_frame(&b, 0, 0x1100), g = lb_frame(&b, 0, 0x1200);
    struct mp_profile *profile;
    struct mp_live_cell *cell;

    b.header.epoch = 9 * MP_EPOCH_PEAK;
    b.header.peak_bytes = 160 + 64;
    cell = lb_cell(&b, lb_context(&b, 0, f), 16, 12, 12);
    cell->stamp = 9 * MP_EPOCH_PEAK;
    cell->saved = 10;
    cell = lb_cell(&b, lb_context(&b, 0, g), 16, 5, 1);
    cell->stamp = 8 * MP_EPOCH_PEAK;
    cell->saved = 1;
    profile = must_read();
    ck_assert_int_eq(profile->cells[0].counts.peak_bytes, 160);
    ck_assert_int_eq(profile->cells[0].counts.peak_blocks, 10);
    ck_assert_int_eq(profile->cells[1].counts.peak_bytes, 64);
    ck_assert_int_eq(profile->cells[1].counts.peak_blocks, 4);
    ck_assert_int_eq(profile->meta.peak_bytes, 224);
    ck_assert_uint_eq(profile->meta.peak_slack, 0);
    mp_profile_free(profile);
}
END_TEST

/* Read while one peak followed another: what is missing is said, in both directions. */
START_TEST(shares_add_up_within_the_slack)
{
    static const struct {
        int64_t peak;
        uint64_t slack, expected;
    } cases[] = {{160, 0, 0}, {200, 0, 40}, {100, 0, 60}, {200, 1000, 1000}};

    b.header.epoch = 9 * MP_EPOCH_PEAK;
    lb_cell(&b, lb_context(&b, 0, lb_frame(&b, 0, 0x1100)), 16, 12, 12)->stamp = 9 * MP_EPOCH_PEAK;
    b.cells[0].saved = 10;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mp_profile *profile;

        b.header.peak_bytes = cases[i].peak;
        b.header.peak_slack = cases[i].slack;
        profile = must_read();
        ck_assert_int_eq(profile->meta.peak_bytes, cases[i].peak);
        ck_assert_uint_eq(profile->meta.peak_slack, cases[i].expected);
        mp_profile_free(profile);
    }
}
END_TEST

START_TEST(a_total_above_the_recorded_peak_is_the_peak)
{
    struct mp_profile *profile;

    b.header.epoch = 9 * MP_EPOCH_PEAK;
    b.header.peak_bytes = 100;
    b.header.live_bytes = 90;
    lb_recorder(&b)->pending_bytes = 70;
    lb_cell(&b, lb_context(&b, 0, lb_frame(&b, 0, 0x1100)), 16, 12, 2)->stamp = 9 * MP_EPOCH_PEAK;
    b.cells[0].saved = 3;
    profile = must_read();
    ck_assert_int_eq(profile->meta.peak_bytes, 160);
    ck_assert_int_eq(profile->meta.peak_blocks, 10);
    ck_assert_int_eq(profile->cells[0].counts.peak_bytes, 160);
    mp_profile_free(profile);
}
END_TEST

/* ---------------------------------------------------------------- how it ended */


static struct mp_meta
meta_of(void)
{
    struct mp_profile *profile = must_read();
    struct mp_meta meta = profile->meta;

    mp_profile_free(profile);
    return meta;
}

START_TEST(a_process_that_is_there_runs)
{
    struct mp_meta meta;

    run_as(getpid());
    b.header.start_monotonic = 1;
    b.header.end_monotonic = 0;
    meta = meta_of();
    ck_assert_int_eq(meta.ending, MP_END_RUNNING);
    ck_assert_uint_gt(meta.duration, 0);
    b.header.start_ticks++;     /* the pid is another process's now */
    meta = meta_of();
    ck_assert_int_eq(meta.ending, MP_END_KILLED);
    ck_assert_uint_eq(meta.duration, 0);
}
END_TEST

/* Their parents were made when the place of these had been copied already. */
START_TEST(contexts_made_meanwhile_are_left_out)
{
    uint32_t frame = lb_frame(&b, 0, 0x1100), known = lb_context(&b, 0, frame);
    uint32_t missed = lb_context(&b, known, frame), child = lb_context(&b, missed, frame);
    struct mp_profile *profile;

    lb_context(&b, child, frame);
    lb_cell(&b, known, 16, 1, 0);
    lb_context(&b, missed, frame);      /* begins a run */
    b.contexts[missed - 1] = 0;
    run_as(getpid());
    profile = must_read();
    ck_assert_uint_eq(profile->n_contexts, 2);
    ck_assert_uint_eq(profile->n_cells, 1);
    mp_profile_free(profile);
    b.header.start_ticks++;             /* nobody writes it any more: then it is damaged */
    must_fail(MP_ERR_DAMAGED, "a context's parent is not there");
}
END_TEST

START_TEST(a_zombie_does_not_run)
{
    pid_t child = fork();

    if (child == 0)
        _exit(0);
    ck_assert_int_eq(waitid(P_PID, (id_t)child, &(siginfo_t){0}, WEXITED | WNOWAIT), 0);
    run_as(child);
    ck_assert_int_eq(meta_of().ending, MP_END_KILLED);
    waitpid(child, NULL, 0);
}
END_TEST

START_TEST(the_run_is_carried_through)
{
    b.header.run_id[0] = 1;
    b.header.run_id[1] = UINT64_MAX;
    ck_assert_uint_eq(meta_of().run_id[0], 1);
    ck_assert_uint_eq(meta_of().run_id[1], UINT64_MAX);
}
END_TEST

START_TEST(endings_are_carried_through)
{
    b.header.exit_status = 3;
    ck_assert_int_eq(meta_of().ending, MP_END_EXITED);
    ck_assert_int_eq(meta_of().status, 3);
    b.header.state = MP_STATE_EXEC;
    ck_assert_int_eq(meta_of().ending, MP_END_EXEC);
    b.header.state = MP_STATE_STOPPED;
    ck_assert_int_eq(meta_of().ending, MP_END_STOPPED);
    b.header.state = MP_STATE_FULL;
    b.header.stop_errno = ENOSPC;
    ck_assert_int_eq(meta_of().ending, MP_END_FULL);
    ck_assert_uint_eq(meta_of().stop_errno, ENOSPC);
}
END_TEST

static void
add_reading(Suite *suite)
{
    TCase *tests = tcase_create("reading");

    tcase_add_checked_fixture(tests, set_up, NULL);
    tcase_add_test(tests, the_papers_example);
    tcase_add_test(tests, a_file_without_records_is_a_profile);
    tcase_add_test(tests, blocks_of_realloc_are_summed);
    tcase_add_test(tests, other_files_are_no_data_files);
    tcase_add_test(tests, another_byte_order_or_version_is_said);
    tcase_add_test(tests, trees_of_two_recorders_merge_by_path);
    tcase_add_test(tests, children_gathered_from_several_trees_merge_too);
    tcase_add_test(tests, a_parent_may_have_the_higher_id);
    tcase_add_test(tests, a_module_loaded_again_gives_the_same_frames);
    tcase_add_test(tests, a_signalled_frame_is_another_frame);
    tcase_add_test(tests, marks_become_frames);
    tcase_add_test(tests, ids_may_begin_anywhere_and_extents_may_be_many);
    tcase_add_test(tests, strings_are_escaped);
    suite_add_tcase(suite, tests);
}

static void
add_counting(Suite *suite)
{
    TCase *tests = tcase_create("counting");

    tcase_add_checked_fixture(tests, set_up, NULL);
    tcase_add_test(tests, a_block_freed_by_another_thread_is_one_sum);
    tcase_add_test(tests, more_frees_than_allocations_are_damage);
    tcase_add_test(tests, counters_beyond_all_bounds_are_damage);
    tcase_add_test(tests, bins_of_recorders_are_summed);
    tcase_add_test(tests, bins_of_uniform_cells_are_added);
    tcase_add_test(tests, a_share_of_the_peak_is_what_was_saved);
    tcase_add_test(tests, a_share_of_a_mixed_cell_is_what_was_saved);
    tcase_add_test(tests, a_stamp_of_another_era_is_none);
    tcase_add_test(tests, shares_add_up_within_the_slack);
    tcase_add_test(tests, a_total_above_the_recorded_peak_is_the_peak);
    tcase_add_test(tests, a_process_that_is_there_runs);
    tcase_add_test(tests, contexts_made_meanwhile_are_left_out);
    tcase_add_test(tests, a_zombie_does_not_run);
    tcase_add_test(tests, the_run_is_carried_through);
    tcase_add_test(tests, endings_are_carried_through);
    suite_add_tcase(suite, tests);
}

int
main(void)
{
    Suite *suite = suite_create("reader_live");

    add_reading(suite);
    add_counting(suite);
    return tap_run(suite);
}
