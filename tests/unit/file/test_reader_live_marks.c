/* The program's marks in a live file become a time line. */
#include "tests/unit/tap.h"

#include <stdlib.h>

#include "reporter/file/reader.h"
#include "reporter/file/seal.h"
#include "reporter/profile/collections.h"
#include "reporter/profile/timeline.h"
#include "reporter/symbols/symbols.h"
#include "tests/unit/folder.h"
#include "tests/unit/profile_builder.h"
#include "tests/unit/profile_checks.h"
#include "tests/unit/reader_live_fixture.h"

static void
add_checkpoint(const char *name, uint64_t monotonic)
{
    const uint32_t n = b.count[MP_EXT_MARKS]++;

    b.marks[n] = (struct mp_live_mark){.kind = MP_MARK_CHECKPOINT, .name = lb_string(&b, name),
                                       .monotonic = monotonic, .number = n + 1};
    b.header.epoch++;
}

/* Adds a record that CELL had counted ALLOCS allocations and FREES frees of 16 bytes at checkpoint NUMBER. */
static void
add_former(uint32_t cell, uint32_t number, uint32_t allocs, uint32_t frees)
{
    b.former[b.count[MP_EXT_FORMER]++] = (struct mp_live_former){
        .cell = cell, .number = (uint16_t)number, .allocs = allocs, .frees = frees,
        .bytes = 16 * (uint64_t)allocs, .freed = 16 * (uint64_t)frees};
}

/* Builds a file with three checkpoints. Cell 1 changed before the first, between the first and the second, and after
 * the last. Cell 2 was created after the first. Cell 3 has not changed since the first. */
static void
build(void)
{
    uint32_t main_ = lb_context(&b, 0, lb_frame(&b, 0, 0x1000));
    uint32_t f = lb_context(&b, main_, lb_frame(&b, 0, 0x1100));
    uint32_t g = lb_context(&b, main_, lb_frame(&b, 0, 0x1200));
    uint32_t h = lb_context(&b, main_, lb_frame(&b, 0, 0x1300));

    lb_cell(&b, f, 16, 10, 5);
    lb_cell(&b, g, 16, 7, 1);
    lb_cell(&b, h, 16, 4, 4);
    add_checkpoint("one", 5100);
    add_checkpoint("two", 5200);
    add_checkpoint("three", 5300);
    add_former(1, 1, 2, 0);
    add_former(1, 3, 6, 5);
    add_former(2, 1, 0, 0);
}

static void
expect(const struct mp_timeline *line, const struct mp_moment *moment, uint32_t at, uint32_t context,
       uint64_t allocs, uint64_t frees)
{
    const struct mp_change *change = &line->changes[moment->first_change + at];

    ck_assert_uint_lt(at, moment->n_changes);
    ck_assert_uint_eq(change->context, context);
    ck_assert_uint_eq(change->allocs, allocs);
    ck_assert_uint_eq(change->bytes, 16 * allocs);
    ck_assert_uint_eq(change->frees, frees);
    ck_assert_uint_eq(change->freed, 16 * frees);
}

FIXTURE(set_up, NULL)

TEST(each_checkpoint_has_what_changed_before_it)
{
    struct mp_profile *profile;
    struct mp_timeline *line;

    build();
    profile = must_read();
    line = profile->timeline;
    ck_assert_ptr_nonnull(line);
    ck_assert_uint_eq(line->n_moments, 5);
    ck_assert_int_eq(line->moments[0].kind, MP_MOMENT_START);
    for (unsigned i = 1; i <= 3; i++) {
        ck_assert_int_eq(line->moments[i].kind, MP_MOMENT_CHECKPOINT);
        ck_assert(line->moments[i].exact && line->moments[i].has_changes);
        ck_assert_uint_eq(line->moments[i].time, 100 * i);
    }
    ck_assert_str_eq(line->moments[2].name, "two");
    ck_assert_int_eq(line->moments[4].kind, MP_MOMENT_END);
    ck_assert_uint_eq(line->moments[4].time, 2500);
    ck_assert_uint_eq(line->moments[1].n_changes, 2);
    expect(line, &line->moments[1], 0, 2, 2, 0);
    expect(line, &line->moments[1], 1, 4, 4, 4);
    ck_assert_uint_eq(line->moments[2].n_changes, 2);
    expect(line, &line->moments[2], 0, 2, 4, 5);
    expect(line, &line->moments[2], 1, 3, 7, 1);
    ck_assert_uint_eq(line->moments[3].n_changes, 0);
    ck_assert_uint_eq(line->left_out, 0);
}

TEST(what_was_temporary_is_known_at_checkpoints)
{
    struct mp_profile *profile;
    const struct mp_timeline *line;

    build();
    b.former[0].temporary = 1;
    b.former[1].temporary = 3;
    b.cells[0].temporary = 5;
    profile = must_read();
    line = profile->timeline;
    ck_assert(line->temporary);
    ck_assert_uint_eq(line->changes[line->moments[1].first_change].temporary, 1);
    ck_assert_uint_eq(line->changes[line->moments[1].first_change + 1].temporary, 0);
    ck_assert_uint_eq(line->changes[line->moments[2].first_change].temporary, 2);
}

TEST(points_are_the_totals_there)
{
    struct mp_profile *profile;
    struct mp_timeline *line;

    build();
    profile = must_read();
    line = profile->timeline;
    ck_assert_uint_eq(line->n_points, 5);
    ck_assert_uint_eq(line->points[0].live, 0);
    ck_assert_uint_eq(line->points[1].live, 2 * 16);
    ck_assert_uint_eq(line->points[1].bytes, 6 * 16);
    ck_assert_uint_eq(line->points[2].live, (2 + 4 - 5 + 7 - 1) * 16);
    ck_assert_uint_eq(line->points[2].blocks, 7);
    ck_assert_uint_eq(line->points[2].allocs, 17);
    ck_assert_uint_eq(line->points[2].time, 200);
    ck_assert_uint_eq(line->points[3].live, line->points[2].live);
    ck_assert_uint_eq(line->points[3].resident, MP_NOT_SEEN);
    ck_assert_uint_eq(line->points[4].live, (5 + 6 + 0) * 16);         /* the end */
    ck_assert_uint_eq(line->points[4].allocs, 21);
}

TEST(without_marks_there_is_no_time_line)
{
    struct mp_profile *profile;

    lb_widgets(&b);
    profile = must_read();
    ck_assert_ptr_null(profile->timeline);
}

TEST(checkpoints_left_out_are_counted)
{
    struct mp_profile *profile;

    build();
    b.header.checkpoints_left_out = 12;
    b.header.former_lost = 2;           /* two more checkpoints have no figures */
    profile = must_read();
    ck_assert_uint_eq(profile->timeline->left_out, 14);
    ck_assert_uint_eq(profile->timeline->n_moments, 5);
    ck_assert(profile->timeline->moments[1].has_changes);
    ck_assert(!profile->timeline->moments[2].has_changes);
    ck_assert(!profile->timeline->moments[3].has_changes);
}

/* The process was killed after it wrote the mark and before it raised the epoch. */
TEST(a_mark_without_its_epoch_is_none)
{
    struct mp_profile *profile;

    build();
    b.header.epoch--;
    profile = must_read();
    ck_assert_uint_eq(profile->timeline->n_moments, 4);
}

/* An object is counted in the cell of instances first. If it moves to the cell of its class after a checkpoint, the
 * first cell has fewer allocations than at the checkpoint. */
TEST(an_object_that_moves_is_no_allocation_less)
{
    uint32_t context = lb_context(&b, 0, lb_frame(&b, 0, 0x1000));
    const struct mp_moment *moments;
    struct mp_profile *profile;
    struct mp_live_cell *cell;

    lb_kind(&b, LB_STRUCTURE, LB_STRUCTURE, "STRUCTURE", 's');
    lb_kind(&b, LB_POINT, LB_STRUCTURE, "POINT", 's');
    cell = lb_cell(&b, context, 16, 1, 0);
    cell->kind = LB_STRUCTURE;
    cell = lb_cell(&b, context, 16, 1, 0);
    cell->kind = LB_POINT;
    add_checkpoint("one", 5100);
    add_checkpoint("two", 5200);
    add_former(1, 1, 2, 0);
    add_former(2, 1, 0, 0);
    profile = must_read();
    moments = profile->timeline->moments;
    expect(profile->timeline, &moments[1], 0, 1, 2, 0);
    expect(profile->timeline, &moments[2], 0, 1, 0, 1);
    expect(profile->timeline, &moments[2], 1, 1, 1, 0);
    ck_assert_uint_eq(profile->timeline->points[2].blocks, 2);
}

/* Collections before header.first_collection were merged into later ones and are skipped. Other marks are placed among
 * the checkpoints by their times. */
TEST(collections_and_snapshots_are_moments)
{
    const struct mp_moment *moments;
    struct mp_profile *profile;

    build();
    b.marks[b.count[MP_EXT_MARKS]++] = (struct mp_live_mark){
        .kind = MP_MARK_COLLECTION, .monotonic = 5150, .number = 1, .heap_before = 7};
    b.marks[b.count[MP_EXT_MARKS]++] = (struct mp_live_mark){
        .kind = MP_MARK_SNAPSHOT, .monotonic = 5400};
    b.marks[b.count[MP_EXT_MARKS]++] = (struct mp_live_mark){
        .kind = MP_MARK_COLLECTION, .monotonic = 5250, .number = 3, .pause = 40, .heap_before = 90,
        .heap_after = 30};
    b.header.first_collection = 6;
    profile = must_read();
    moments = profile->timeline->moments;
    ck_assert_uint_eq(profile->timeline->n_moments, 7);
    ck_assert_int_eq(moments[3].kind, MP_MOMENT_COLLECTION);
    ck_assert_str_eq(moments[3].name, "full (3 together)");
    ck_assert_uint_eq(moments[3].time, 250);
    ck_assert_uint_eq(moments[3].pause, 40);
    ck_assert_uint_eq(moments[3].heap_before, 90);
    ck_assert_uint_eq(moments[3].heap_after, 30);
    ck_assert(!moments[3].has_changes);
    ck_assert_str_eq(moments[4].name, "three");
    ck_assert_int_eq(moments[5].kind, MP_MOMENT_SNAPSHOT);
    ck_assert_uint_eq(moments[5].time, 400);
}

/* Seals PROFILE and returns the profile of the sealed file. */
static struct mp_profile *
sealed_copy(struct mp_profile *profile)
{
    const char *path = in_folder("sealed");
    struct mp_profile *sealed;

    ck_assert_msg(mp_symbolise(profile, &(struct mp_symbol_options){0}, &error), "%s", error.text);
    ck_assert_msg(mp_seal(profile, path, NULL, &error), "%s", error.text);
    sealed = mp_read(path, &error);
    ck_assert_msg(sealed != NULL, "%s", error.text);
    return keep_profile(sealed);
}

/* The marks have no order in which both the numbers of checkpoints and the times ascend. */
TEST(collections_of_a_damaged_file_can_be_sealed)
{
    static const uint64_t times[] = {5020, 5300, 5350, 5500};
    const struct mp_collections *collections;

    build();
    b.count[MP_EXT_MARKS] = 0;
    add_checkpoint("one", 5400);
    add_checkpoint("two", 5010);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        b.marks[b.count[MP_EXT_MARKS]++] = (struct mp_live_mark){
            .kind = MP_MARK_COLLECTION, .monotonic = times[i], .number = 1, .heap_size = 1, .allocated = 1};
    collections = sealed_copy(must_read())->collections;
    ck_assert_ptr_nonnull(collections);
    for (uint32_t i = 1; i < collections->n; i++)
        ck_assert_uint_ge(collections->list[i].time, collections->list[i - 1].time);
}

/* The figures of each cell are possible, but at the first checkpoint their sum has fewer allocations than frees. */
TEST(what_was_freed_and_never_allocated_can_be_sealed)
{
    struct mp_profile *profile;

    build();
    b.former[0].frees = 50;
    b.former[0].freed = 800;
    profile = must_read();
    ck_assert_uint_eq(profile->timeline->points[1].live, 0);
    ck_assert_uint_eq(profile->timeline->points[1].blocks, 0);
    ck_assert_uint_eq(profile->timeline->points[1].bytes, 6 * 16);
    ck_assert_uint_eq(sealed_copy(profile)->timeline->points[1].live, 0);
}

static const struct damage damages[] = {
    DAMAGE(former[0].cell, 77, "not there"),
    DAMAGE(former[0].bytes, UINT64_MAX, "beyond all bounds"),
    DAMAGE(former[1].number, 0, "not there"),
    DAMAGE(marks[1].name, 4000, "without a name"),
};

TEST_EACH(damage_is_named, damages)
{
    must_be_damage(build, &damages[_i]);
}
/* SPDX-License-Identifier: MIT */
