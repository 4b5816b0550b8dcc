#include "tests/unit/tap.h"

#include <stdio.h>
#include <string.h>

#include "reporter/file/reader.h"
#include "reporter/file/sealed_parts.h"
#include "reporter/unite/merge.h"
#include "reporter/view/filter.h"
#include "reporter/view/view.h"
#include "tests/unit/folder.h"
#include "tests/unit/profile_builder.h"

static struct mp_error error;

/* Returns the profile of a process of PROGRAM that allocated BLOCKS blocks of 16 bytes in main, and one of 40 bytes in
 * helper. */
static struct mp_profile *
process(const char *program, uint32_t pid, uint64_t blocks)
{
    struct mp_profile *profile = PROFILE_OF(
        {"_start;main", MP_KIND_SMALL, blocks, 16 * blocks, 0, 0},
        {"_start;main;helper", MP_KIND_MEDIUM, 1, 40, 1, 40});

    profile->meta.program = program;
    profile->meta.pid = pid;
    profile->meta.start_realtime = 1000 + pid;
    profile->meta.peak_bytes = (int64_t)(16 * blocks);
    profile->meta.threads = 1;
    mp_profile_set_kept(profile);
    return profile;
}

/* Adds PROFILE and frees it. */
static bool
add(struct mp_merge *merge, struct mp_profile *profile)
{
    char file[32];
    bool ok;

    snprintf(file, sizeof file, "%u.data", profile->meta.pid);
    ok = mp_merge_add(merge, profile, file, NULL, &error);
    tap_release(profile);
    return ok;
}

/* Returns the content of a file with the sum of MERGE. Frees MERGE. */
static struct mp_buffer
content_of(struct mp_merge *merge)
{
    struct mp_buffer content = {0};
    struct mp_profile *profile = mp_merge_finish(merge, 0, &error);

    ck_assert_ptr_nonnull(profile);
    mp_sealed_encode(profile, &content);
    mp_profile_free(profile);
    mp_merge_free(merge);
    return content;
}

static const struct mp_merge_options usual;

/* Merges COUNT processes, beginning with number FIRST, in steps of STEP modulo COUNT. STEP must be coprime to COUNT. */
static struct mp_merge *
merge_processes(uint32_t count, uint32_t first, uint32_t step, const char *programs[2])
{
    struct mp_merge *merge = mp_merge_new(&usual);

    for (uint32_t i = 0; i < count; i++) {
        uint32_t pid = (first + i * step) % count;

        ck_assert(add(merge, process(programs[pid % 2], pid + 1, 10 + pid)));
    }
    return merge;
}

static const char *two[2] = {"/bin/a", "/bin/b"};

static void
must_be_same(struct mp_buffer a, struct mp_buffer b)
{
    ck_assert_uint_gt(a.size, 0);
    ck_assert_uint_eq(a.size, b.size);
    ck_assert_int_eq(memcmp(a.bytes, b.bytes, a.size), 0);
    mp_buffer_free(&a);
    mp_buffer_free(&b);
}

TEST(order_does_not_matter)
{
    must_be_same(content_of(merge_processes(7, 0, 1, two)), content_of(merge_processes(7, 3, 2, two)));
    must_be_same(content_of(merge_processes(41, 0, 1, two)), content_of(merge_processes(41, 5, 3, two)));
}

/* 41 processes, which are more than there are labels, have the same sum if they are merged in two parts first. */
TEST(heaps_of_heaps)
{
    struct mp_merge *heaps[2] = {mp_merge_new(&usual), mp_merge_new(&usual)}, *all = mp_merge_new(&usual);

    for (uint32_t i = 0; i < 41; i++)
        ck_assert(add(heaps[i % 3 == 0], process(two[i % 2], i + 1, 10 + i)));
    for (int i = 0; i < 2; i++) {
        struct mp_profile *heap = mp_merge_finish(heaps[i], 0, &error);

        ck_assert_int_eq(heap->processes->level, MP_LABEL_PROCESS);
        ck_assert(mp_merge_add(all, heap, "heap.data", NULL, &error));
        mp_profile_free(heap);
        mp_merge_free(heaps[i]);
    }
    must_be_same(content_of(all), content_of(merge_processes(41, 0, 1, two)));
}

TEST(sums_and_labels)
{
    struct mp_merge *merge = merge_processes(3, 0, 1, two);
    struct mp_profile *profile = mp_merge_finish(merge, 2, &error), *view;
    const struct mp_processes *processes = profile->processes;
    struct mp_filters filters = {0};
    const struct mp_view_options shown = {.all_frames = true};
    struct mp_totals totals;

    mp_profile_totals(profile, &totals);
    ck_assert_uint_eq(totals.allocs, 10 + 11 + 12 + 3);
    ck_assert_uint_eq(totals.bytes, 16 * 33 + 3 * 40);
    ck_assert_uint_eq(totals.all.frees, 3);
    ck_assert_uint_eq(totals.depth_max, 3);             /* labels are no frames */
    ck_assert_int_eq(profile->meta.peak_bytes, 16 * 33);
    ck_assert_uint_eq(profile->meta.threads, 3);
    ck_assert_uint_eq(processes->n, 3);
    ck_assert_uint_eq(processes->n_labels, 3);
    ck_assert_uint_eq(processes->left_out, 2);
    ck_assert_uint_eq(mp_processes_programs(processes), 2);
    ck_assert_int_eq(mp_processes_largest_peak(processes)->meta.peak_bytes, 16 * 12);

    view = mp_view(profile, &shown, &error);
    ck_assert_uint_eq(view->n_contexts, 4);             /* the contexts of main are merged */
    ck_assert_uint_eq(view->n_cells, 2);
    ck_assert_uint_eq(view->cells[0].counts.allocs, 33);
    mp_profile_free(view);

    ck_assert(mp_filters_add(&filters, MP_FILTER_PROCESS, "^a\\[3\\]$", &error));
    view = mp_filtered_view(profile, &shown, &filters, NULL, &error);
    ck_assert_ptr_nonnull(view);
    ck_assert_uint_eq(view->cells[0].counts.allocs, 12);
    ck_assert_uint_eq(view->processes->n, 1);
    mp_profile_free(view);
    mp_filters_free(&filters);
    mp_profile_free(profile);
    mp_merge_free(merge);
}

TEST(processes_in_a_view)
{
    struct mp_merge *merge = merge_processes(3, 0, 1, two);
    struct mp_profile *profile = mp_merge_finish(merge, 0, &error), *view;
    const struct mp_view_options grouped = {.processes.group = true};

    view = mp_view(profile, &grouped, &error);
    ck_assert_uint_eq(pb_function(view, "a[1]") == MP_NO_ID, 0);
    ck_assert_uint_eq(view->n_contexts, 1 + 3 * 3);     /* process, main, helper: _start is left out */
    ck_assert_uint_eq(view->n_cells, 6);
    mp_profile_free(view);
    mp_profile_free(profile);
    mp_merge_free(merge);
}

TEST(what_has_no_sum)
{
    struct mp_merge *merge = merge_processes(2, 0, 1, two);
    struct mp_profile *sampled = process("/bin/a", 9, 1), *foreign = process("/bin/a", 8, 1);

    ck_assert(!add(merge, process("/bin/a", 1, 10)));
    ck_assert_ptr_nonnull(strstr(error.text, "process 1 is there already, from 1.data"));
    sampled->meta.sample_period = 512;
    ck_assert(!add(merge, sampled));
    ck_assert_ptr_nonnull(strstr(error.text, "these have no sum"));
    foreign->meta.source = "another tool";
    ck_assert(!add(merge, foreign));
    ck_assert_ptr_nonnull(strstr(error.text, "another tool"));
    must_be_same(content_of(merge), content_of(merge_processes(2, 0, 1, two)));
}

/* A process numbers its classes in the order of their appearance, so classes are identified by name. */
TEST(kinds_by_name)
{
    static const char *names[2][2] = {{"POINT", "THING"}, {"THING", "ZEBRA"}};
    struct mp_merge *merge = mp_merge_new(&usual);
    struct mp_profile *profile;
    struct mp_totals totals;
    uint64_t things = 0;

    for (uint32_t i = 0; i < 2; i++) {
        struct pb *pb = pb_new();

        pb_kind(pb, 17, 17, "INSTANCE", 's');
        pb_kind(pb, 256, 17, names[i][0], 's');
        pb_kind(pb, 257, 17, names[i][1], 's');
        pb_objects(pb, "main", 256, 10, 160);
        pb_objects(pb, "main", 257, 7, 112);
        profile = pb_done(pb);
        profile->meta.pid = i + 1;
        ck_assert(add(merge, profile));
    }
    profile = mp_merge_finish(merge, 0, &error);
    ck_assert_uint_eq(profile->n_kinds, 4);
    for (uint32_t i = 0; i < profile->n_cells; i++) {
        const struct mp_object_kind *kind = mp_profile_kind(profile, profile->cells[i].kind);

        ck_assert_uint_eq(kind->base, 17);
        if (strcmp(kind->name, "THING") == 0)
            things += profile->cells[i].counts.allocs;
    }
    ck_assert_uint_eq(things, 7 + 10);
    mp_profile_totals(profile, &totals);
    ck_assert_uint_eq(totals.lisp.allocs, 34);
    mp_profile_free(profile);
    mp_merge_free(merge);
}

/* A file as this version wrote it must stay readable. */
TEST(old_file)
{
    struct mp_profile *profile = mp_read(source_path("tests/data/sealed-merged.data"), &error);
    const struct mp_processes *processes;

    ck_assert_ptr_nonnull(profile);
    processes = profile->processes;
    ck_assert_uint_eq(processes->n, 2);
    ck_assert_uint_eq(processes->n_labels, 2);
    ck_assert_int_eq(processes->level, MP_LABEL_PROCESS);
    for (uint32_t i = 0; i < 2; i++) {
        ck_assert(profile->frames[processes->labels[i]].label);
        ck_assert(!mp_frame_is_thread(&profile->frames[processes->labels[i]]));
        ck_assert_ptr_nonnull(strstr(processes->list[i].file, "tests/data/sealed-"));
    }
    ck_assert_uint_eq(processes->list[0].sums.allocs + processes->list[1].sums.allocs, 10115);
    mp_profile_free(profile);
}
/* SPDX-License-Identifier: MIT */
