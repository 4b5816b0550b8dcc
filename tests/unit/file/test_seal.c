#include "tests/unit/tap.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reporter/file/reader.h"
#include "reporter/file/seal.h"
#include "reporter/profile/lifetimes.h"
#include "tests/unit/folder.h"
#include "tests/unit/profile_builder.h"
#include "tests/unit/profile_checks.h"
#include "tests/unit/seal_fixture.h"

static void
must_go_round(const struct mp_profile *profile)
{
    struct mp_profile *again;
    uint8_t *first, *second;
    size_t first_size, second_size;

    must_seal(profile);
    first = file_bytes(&first_size);
    again = read_sealed();
    assert_equal(profile, again);
    must_seal(again);
    second = file_bytes(&second_size);
    ck_assert_uint_eq(first_size, second_size);
    ck_assert_mem_eq(first, second, first_size);
    free(first);
    free(second);
}

FIXTURE(folder_set_up, NULL)

TEST(the_papers_example_goes_round)
{
    struct mp_profile *profile = widgets();

    must_go_round(profile);
}

TEST(the_papers_example_is_small)
{
    struct mp_profile *profile = widgets();
    uint64_t size;

    ck_assert(mp_seal(profile, path, &size, &error));
    ck_assert_uint_lt(size, 700);
}

TEST(addresses_of_the_process_are_not_kept)
{
    struct mp_profile *profile = widgets(), *again;

    ck_assert_uint_ne(profile->modules[0].start, 0);
    must_seal(profile);
    again = read_sealed();
    ck_assert_uint_eq(again->modules[0].start, 0);
    ck_assert_uint_eq(again->modules[0].end, 0);
    ck_assert_uint_eq(again->modules[0].bias, 0);
}

TEST(an_empty_profile_goes_round)
{
    struct mp_profile *profile = mp_profile_new();

    profile->symbolised = true;
    must_go_round(profile);
    mp_profile_free(profile);
}

TEST(every_field_of_the_head_goes_round)
{
    static const struct mp_unrecorded unrecorded[] = {{"sudo", "is set-user-id", UINT64_MAX}, {"", "", 1}};
    struct mp_profile *profile = widgets();
    struct mp_meta *meta = &profile->meta;

    meta->arguments_cut = true;
    meta->duration = UINT64_MAX;
    meta->ending = MP_END_FULL;
    meta->status = INT32_MIN;
    meta->stop_errno = ENOSPC;
    meta->unwinder = MP_UNWIND_FP;
    meta->depth = 5;
    meta->recorders = 3;
    meta->threads = 4;
    for (uint32_t i = 0; i < MP_MISS_KINDS; i++)
        meta->missing[i] = i * 1000;
    meta->programs_started = 6;
    meta->processes_forked = 7;
    meta->nested = 8;
    meta->follows = true;
    meta->leaks = MP_LEAKS_FILE | ENOSPC << MP_LEAKS_BITS;
    meta->peak_bytes = INT64_MAX;
    meta->peak_slack = 1 << 20;
    meta->unrecorded = (struct mp_unrecorded_list){unrecorded, 2};
    must_go_round(profile);
}

TEST(unproved_frames_go_round)
{
    struct mp_profile *profile = widgets();

    profile->frames[0].unproved = profile->frames[profile->n_frames - 1].unproved = true;
    must_go_round(profile);
}

TEST(every_shape_of_a_cell_goes_round)
{
    static struct mp_cell_rest resized = {
        .counts = {.crossed = 2, .reallocs = 4, .moved = 99, .steps = 3, .steps_from = 90, .steps_by = 30}};
    static struct mp_cell_rest ordered = {
        .counts = {.compared = 9, .larger = 4, .replaced = 7, .replaced_bytes = 70}};
    static struct mp_cell_rest made_anew = {.counts = {.reallocs = 1}};
    static struct mp_cell cells[] = {
        {.context = 1, .kind = 0, .size_min = 16, .size_max = 16,
         .counts = {.allocs = 5, .bytes = 80}},
        {.context = 1, .kind = 1, .size_min = 40, .size_max = 40,
         .counts = {.allocs = 5, .bytes = 200, .frees = 5, .freed = 200, .temporary = 3},
         .rest = &resized},
        {.context = 1, .kind = 16, .size_min = 100, .size_max = 200,
         .counts = {.allocs = 2, .bytes = 300, .frees = 1, .freed = 100, .peak_bytes = 200,
                    .peak_blocks = 1}},
        {.context = 2, .kind = 0, .size_min = 10, .size_max = 10,
         .counts = {.allocs = 9, .bytes = 90, .frees = 3, .freed = 30, .peak_bytes = -10,
                    .peak_blocks = -1}},
        {.context = 2, .kind = 3, .size_min = 5, .size_max = 20,
         .counts = {.allocs = 9, .bytes = 90, .frees = 9, .freed = 80, .peak_bytes = 7,
                    .peak_blocks = 0},
         .rest = &ordered},
        {.context = 4, .kind = 0, .size_min = UINT32_MAX, .size_max = 0},
        {.context = 5, .kind = 0, .size_min = 0, .size_max = 0,
         .counts = {.allocs = 3, .bytes = 0, .peak_blocks = 3}, .rest = &made_anew},
        {.context = 6, .kind = 2, .size_min = 4, .size_max = UINT32_MAX,
         .counts = {.allocs = INT64_MAX / 2, .bytes = INT64_MAX / 2}},
    };
    static struct mp_object_kind bignum = {16, 16, "BIGNUM", 'o'};
    struct mp_profile *profile = widgets();

    profile->kinds = &bignum;
    profile->n_kinds = 1;
    profile->cells = cells;
    profile->n_cells = sizeof cells / sizeof *cells;
    profile->bins[MP_BIN_LARGE] =
        (struct mp_bin){.allocs = 2, .bytes = 5000, .frees = 1, .freed = 1500};
    profile->bins[0] = (struct mp_bin){.allocs = 3, .frees = 3};
    profile->bins[77].first_type = 1;
    mp_profile_set_kept(profile);
    must_go_round(profile);
}

TEST(a_lisp_program_goes_round)
{
    struct mp_profile *profile = lisp();

    ck_assert_uint_eq(profile->n_names, 4);
    must_go_round(profile);
}

TEST(plain_names_and_files_go_round)
{
    struct mp_profile *profile = named();

    ck_assert_uint_gt(profile->n_functions, 3);
    must_go_round(profile);
    profile->functions[0].text = profile->functions[0].plain = "";      /* unusual values */
    profile->functions[1].plain = "";
    profile->functions[1].clone = 0;
    must_go_round(profile);
}

TEST(a_time_line_goes_round)
{
    struct mp_profile *profile = timed();

    must_go_round(profile);
    profile->timeline->n_points = profile->timeline->n_changes = 0;
    profile->timeline->n_moments = 1;
    must_go_round(profile);
}

/* Returns a profile with a time line of N moments, each with changes of all cells, which can hardly be deflated. */
static struct mp_profile *
crowded(uint32_t n, enum mp_moment_kind kind)
{
    struct mp_profile *profile = timed();
    struct mp_timeline *line = profile->timeline;
    const uint32_t cells = profile->n_cells;

    line->moments = mp_arena_alloc(profile->arena, (n + 2) * sizeof *line->moments);
    line->changes = mp_arena_alloc(profile->arena, n * cells * sizeof *line->changes);
    line->n_changes = 0;
    for (uint32_t i = 0; i < n + 2; i++)
        line->moments[i] = (struct mp_moment){
            .kind = i == 0 ? MP_MOMENT_START : i == n + 1 ? MP_MOMENT_END : kind, .time = i,
            .name = "", .has_changes = true, .first_change = i > 0 ? (i - 1) * cells : 0,
            .n_changes = i == 0 || i == n + 1 ? 0 : cells};
    for (uint32_t i = 0; i < n * cells; i++)
        line->changes[line->n_changes++] = (struct mp_change){
            .context = profile->cells[i % cells].context, .kind = profile->cells[i % cells].kind,
            .allocs = 1, .bytes = i * 2654435761u % 1000003};
    line->n_moments = n + 2;
    return profile;
}

static uint64_t
bytes_of_changes(const struct mp_profile *profile)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < profile->timeline->n_changes; i++)
        sum += profile->timeline->changes[i].bytes;
    return sum;
}

TEST(a_time_line_takes_no_more_room_than_it_may)
{
    struct mp_profile *profile = crowded(4000, MP_MOMENT_SEEN), *again;
    const uint64_t bytes = bytes_of_changes(profile);
    uint64_t with, without;

    mp_seal_fit_time(profile, 4000);
    ck_assert_ptr_nonnull(profile->timeline);
    ck_assert_uint_gt(profile->timeline->n_moments, 20);
    ck_assert_uint_eq(profile->timeline->left_out, 3);
    ck_assert_uint_eq(bytes_of_changes(profile), bytes);
    must_seal(profile);
    again = read_sealed();
    ck_assert_uint_eq(again->timeline->n_moments, profile->timeline->n_moments);
    ck_assert(mp_seal(profile, path, &with, &error));
    profile->timeline = NULL;
    ck_assert(mp_seal(profile, path, &without, &error));
    ck_assert_uint_le(with - without, 4000);
}

/* The program holds little memory, then allocates much at once and keeps it. */
TEST(fewer_points_are_near_the_line_of_all)
{
    struct mp_profile *profile = crowded(0, MP_MOMENT_SEEN);
    struct mp_timeline *line = profile->timeline;
    struct mp_point *points = mp_arena_alloc(profile->arena, 4000 * sizeof *points);

    for (uint32_t i = 0; i < 4000; i++)
        points[i] = (struct mp_point){.time = 1000 * i, .live = i == 3500 ? 1001000 : i * i * 2654435761u % 501 +
                                                                                      (i > 3000 ? 1000000 : 0)};
    line->points = points;
    line->n_points = 4000;
    mp_seal_fit_time(profile, 1000);
    line = profile->timeline;
    ck_assert_ptr_nonnull(line);
    ck_assert_uint_lt(line->n_points, 100);
    for (uint32_t i = 0; i < 4000; i++)
        ck_assert((mp_timeline_live_at(line, 1000 * i, false) < 10000) == (i <= 3000));
    ck_assert_uint_eq(mp_timeline_live_at(line, 3500000, false), 1001000);
}

TEST(checkpoints_stay_and_are_counted_if_they_lack_counters)
{
    struct mp_profile *profile = crowded(300, MP_MOMENT_CHECKPOINT);
    uint32_t known = 0;

    mp_seal_fit_time(profile, 4000);
    for (uint32_t i = 1; i < 301; i++)
        known += profile->timeline->moments[i].has_changes;
    ck_assert_uint_eq(profile->timeline->n_moments, 302);
    ck_assert_uint_gt(known, 10);
    ck_assert_uint_eq(profile->timeline->left_out, 3 + 300 - known);
    mp_seal_fit_time(profile, 10);
    ck_assert_ptr_null(profile->timeline);
}

TEST(forms_go_round)
{
    struct mp_profile *profile = lisp();
    uint32_t forms[] = {1, profile->n_contexts - 1};

    profile->forms = forms;
    profile->n_forms = forms[1] > 1 ? 2 : 1;
    must_go_round(profile);
}

TEST(the_allocator_goes_round)
{
    struct mp_profile *profile = widgets();

    profile->allocator = (struct mp_live_allocator){.held = (uint64_t)1 << 40, .mapped = 4096, .free = 7};
    must_go_round(profile);
    profile->allocator = (struct mp_live_allocator){.held = 1, .free = 1, .resident = UINT64_MAX};
    must_go_round(profile);
}

TEST(lifetimes_go_round)
{
    struct mp_lifetimes lifetimes = {.blocks = {1, [5] = 4000, [14] = 9}, .bytes = {204, [5] = 816000, [14] = 1836}};
    struct mp_cell_rest rest = {.lifetimes = &lifetimes};
    struct mp_profile *profile = widgets(), *again;
    unsigned freed;

    profile->lifetimes = true;
    must_go_round(profile);
    freed = profile->cells[0].counts.frees > 0 ? 0 : 1;
    profile->cells[freed].rest = &rest;
    must_go_round(profile);
    must_seal(profile);
    again = read_sealed();
    ck_assert_mem_eq(mp_cell_lifetimes(&again->cells[freed]), &lifetimes, sizeof lifetimes);
    ck_assert(again->lifetimes && !mp_cell_lifetimes(&again->cells[!freed]));
}

TEST(contexts_of_any_order_go_round)
{
    static const uint32_t parents[] = {0, 0, 0, 1, 2, 1, 0};
    struct mp_profile *profile = widgets();

    for (uint32_t i = 1; i < profile->n_contexts; i++)
        profile->contexts[i].parent = parents[i];
    must_go_round(profile);
}

TEST(a_deep_and_wide_tree_goes_round)
{
    struct mp_profile *profile = widgets();
    uint32_t n = 20000;

    profile->contexts = mp_arena_alloc(profile->arena, n * sizeof *profile->contexts);
    profile->contexts[0].frame = MP_NO_ID;
    for (uint32_t i = 1; i < n; i++) {
        uint32_t parent = i - 1;

        for (uint32_t up = i % 97 == 0 ? 60 : i % 3; up > 0 && parent > 0; up--)
            parent = profile->contexts[parent].parent;
        profile->contexts[i] = (struct mp_context){parent, i % profile->n_frames};
    }
    profile->n_contexts = n;
    must_go_round(profile);
}

TEST(a_profile_without_symbols_is_not_sealed)
{
    struct mp_profile *profile = mp_profile_new();

    ck_assert(!mp_seal(profile, path, NULL, &error));
    ck_assert_int_ne(access(path, F_OK), 0);
    mp_profile_free(profile);
}

TEST(a_failure_leaves_nothing_behind)
{
    struct mp_profile *profile = widgets();
    glob_t found;

    ck_assert_int_eq(mkdir(path, 0700), 0);
    ck_assert(!mp_seal(profile, path, NULL, &error));
    ck_assert(!mp_seal(profile, "/nowhere/mprof.data", NULL, &error));
    ck_assert_int_eq(error.code, MP_ERR_SYSTEM);
    ck_assert_msg(strstr(error.text, "/nowhere/mprof.data") != NULL, "%s", error.text);
    ck_assert(!mp_seal(profile, "/dev/null", NULL, &error));
    ck_assert_int_eq(glob(in_folder("*.tmp-*"), 0, NULL, &found), GLOB_NOMATCH);
}

TEST(an_existing_file_is_replaced)
{
    struct mp_profile *profile = widgets();

    make_text("mprof.data", "something old");
    must_seal(profile);
    read_sealed();
}

/* Reads an old file of the source tree. */
static struct mp_profile *
read_old(const char *name)
{
    struct mp_profile *old = mp_read(source_path(name), &error);

    ck_assert_msg(old != NULL, "%s", error.text);
    assert_valid(old);
    return keep_profile(old);
}

TEST(sealed_files_stay_readable)
{
    struct mp_profile *profile = widgets(), *objects = lisp();

    profile->meta.live_file_size = 61440;       /* those of older live files */
    objects->meta.live_file_size = 69632;
    assert_equal(profile, read_old("tests/data/sealed-widgets.data"));
    objects->bins[64] = (struct mp_bin){0};     /* bins were not derived from cells */
    assert_equal(objects, read_old("tests/data/sealed-lisp.data"));
}

/* examples/widgets: gcc -g -O1 -fno-inline. tests/e2e/old_recordings.sh reads the other recordings of 1.0. */
TEST(the_file_of_a_run_stays_readable)
{
    struct mp_profile *old = read_old("tests/data/1.0/c.data");
    struct mp_totals totals;
    uint32_t makers = 0;

    mp_profile_totals(old, &totals);
    ck_assert_uint_eq(totals.all.allocs, 10000);
    ck_assert(old->meta.run_id[0] != 0 && old->meta.run_id[1] != 0);
    ck_assert_uint_eq(old->modules[0].build_id_size, 20);
    for (uint32_t i = 0; i < old->n_functions; i++) {
        const struct mp_function *function = &old->functions[i];

        if (strncmp(function->text, "make_", 5) != 0)
            continue;
        ck_assert_str_eq(function->plain, function->text);
        ck_assert_str_eq(function->file, "/srv/widgets.c");
        makers++;
    }
    ck_assert_uint_eq(makers, 3);
}

/* Sealing the profile again gives the same profile, because the samples are sealed, not the estimates. */
TEST(the_file_of_a_sampled_run_stays_readable)
{
    struct mp_profile *old = read_old("tests/data/sealed-sampled.data");

    assert_sampled_peak(old);
    must_go_round(old);
}

/* Does the same for a file whose objects are sampled, too. The exact counts are those of tests/ecl/sampled.lisp. */
TEST(the_file_of_sampled_objects_stays_readable)
{
    struct mp_profile *old = read_old("tests/data/sealed-objects.data");
    struct mp_totals totals;
    uint64_t structures = 0;

    mp_profile_totals(old, &totals);
    ck_assert(old->meta.objects_sampled);
    ck_assert_uint_eq(totals.objects, totals.allocs);
    ck_assert_uint_eq(totals.object_bytes, totals.bytes);
    for (uint32_t i = 0; i < old->n_kinds; i++)
        if (strcmp(old->kinds[i].name, "STRUCTURE") == 0)
            structures = old->kinds[i].allocs;
    ck_assert_uint_eq(structures, 2000);
    ck_assert_uint_ne(totals.lisp.allocs, totals.objects);
    must_go_round(old);
}

TEST(a_file_with_a_time_line_stays_readable)
{
    struct mp_profile *now = timed();

    now->timeline->temporary = false;   /* the old file has no temporary blocks in its time line */
    for (uint32_t i = 0; i < now->timeline->n_changes; i++)
        now->timeline->changes[i].temporary = 0;
    assert_equal(now, read_old("tests/data/sealed-time.data"));
}

int
main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--write") == 0)       /* made tests/data/sealed-widgets.data */
        return !mp_seal(widgets(), argv[2], NULL, &error);
    if (argc == 3 && strcmp(argv[1], "--write-lisp") == 0)  /* made tests/data/sealed-lisp.data */
        return !mp_seal(lisp(), argv[2], NULL, &error);
    if (argc == 3 && strcmp(argv[1], "--write-time") == 0)  /* made tests/data/sealed-time.data */
        return !mp_seal(timed(), argv[2], NULL, &error);
    return tap_run();
}
/* SPDX-License-Identifier: MIT */
