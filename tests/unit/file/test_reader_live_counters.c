#include "tests/unit/tap.h"

#include "reporter/file/reader.h"
#include "reporter/profile/lifetimes.h"
#include "tests/unit/profile_checks.h"
#include "tests/unit/reader_live_fixture.h"

static void
peak_must_be(const struct mp_cell *cell, int64_t blocks, int64_t bytes)
{
    ck_assert_int_eq(cell->counts.peak_blocks, blocks);
    ck_assert_int_eq(cell->counts.peak_bytes, bytes);
}

FIXTURE(set_up, NULL)

TEST(a_block_freed_by_another_thread_is_one_sum)
{
    uint32_t context = add_context();
    struct mp_profile *profile;

    lb_cell(&b, context, 16, 5, 0);
    lb_cell(&b, context, 16, 0, 5);
    profile = must_read();
    ck_assert_uint_eq(profile->n_cells, 1);
    ck_assert_uint_eq(profile->cells[0].counts.frees, 5);
    ck_assert_uint_eq(profile->cells[0].size_min, 16);
}

TEST(more_frees_than_allocations_are_damage)
{
    lb_cell(&b, add_context(), 16, 4, 5);
    must_fail(MP_ERR_DAMAGED, "more is freed");
    ck_assert_uint_eq(error.offset, place(MP_EXT_CELLS, 0));
}

TEST(counters_beyond_all_bounds_are_damage)
{
    uint32_t context = add_context();

    lb_objects(&b, context, MP_KIND_SMALL, 1, INT64_MAX, 0, 0);
    lb_objects(&b, context, MP_KIND_LARGE, 1, INT64_MAX, 0, 0);
    must_fail(MP_ERR_DAMAGED, "beyond all bounds");
    ck_assert_uint_eq(error.offset, place(MP_EXT_CELLS, 1));
}

static void
bin_must_be(const struct mp_profile *profile, unsigned bin, struct mp_bin expected)
{
    ck_assert_uint_eq(profile->bins[bin].allocs, expected.allocs);
    ck_assert_uint_eq(profile->bins[bin].bytes, expected.bytes);
    ck_assert_uint_eq(profile->bins[bin].frees, expected.frees);
    ck_assert_uint_eq(profile->bins[bin].freed, expected.freed);
}

TEST(bins_of_recorders_are_summed)
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
    bin_must_be(profile, 24, (struct mp_bin){.allocs = 4, .bytes = 96, .frees = 4, .freed = 96});
    bin_must_be(profile, MP_BIN_LARGE, (struct mp_bin){.allocs = 2, .bytes = 5000, .frees = 1, .freed = 2000});
    ck_assert_uint_eq(profile->meta.recorders, 2);
    ck_assert_uint_eq(profile->meta.threads, 4);
}

/* The bins of recorders do not count uniform cells, which the reader must add, but count mixed ones. */
TEST(bins_of_uniform_cells_are_added)
{
    uint32_t context = add_context();
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
    lisp->kind = LB_CONS;               /* an object is no block of malloc, so bins do not count it */
    profile = must_read();
    bin_must_be(profile, 16, (struct mp_bin){.allocs = 0});
    bin_must_be(profile, 20, (struct mp_bin){.allocs = 1, .bytes = 20, .frees = 1, .freed = 20});
    bin_must_be(profile, 24, (struct mp_bin){.allocs = 9, .bytes = 9 * 24, .frees = 5, .freed = 5 * 24});
    bin_must_be(profile, 1024, (struct mp_bin){.allocs = 2, .bytes = 2048, .frees = 1, .freed = 1024});
    bin_must_be(profile, MP_BIN_LARGE,
                (struct mp_bin){.allocs = 4, .bytes = 2050 + 70000 + 5000, .frees = 1, .freed = 1025});
}

/* The stamp of a cell is the low half of an epoch. The high half is stored once in the cell's recorder as its era. */
TEST(a_stamp_of_another_era_is_none)
{
    uint32_t context = add_context();
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
    peak_must_be(&profile->cells[0], 10, 160);
    recorder->era = (uint64_t)7 << 32;
    profile = must_read();
    peak_must_be(&profile->cells[0], 4, 64);
}

TEST(a_share_of_a_mixed_cell_is_what_was_saved)
{
    struct mp_profile *profile;
    struct mp_live_mixed *mixed =
        lb_objects(&b, add_context(), MP_KIND_SMALL, 12, 160, 12, 160);

    b.header.epoch = 9 * MP_EPOCH_PEAK;
    b.header.peak_bytes = 100;
    b.cells[0].stamp = 9 * MP_EPOCH_PEAK;
    b.cells[0].saved = 7;
    mixed->saved_bytes = 100;
    profile = must_read();
    peak_must_be(&profile->cells[0], 7, 100);
    ck_assert_uint_eq(profile->meta.peak_slack, 0);
}

TEST(the_order_of_blocks_is_what_mixed_cells_counted)
{
    const uint32_t context = add_context();
    struct mp_live_mixed *ended = lb_objects(&b, context, MP_KIND_SMALL, 12, 160, 12, 160);
    struct mp_live_mixed *killed = lb_objects(&b, context, MP_KIND_SMALL, 10, 100, 5, 50);
    const struct mp_further_counts *counts;

    lb_cell(&b, context, 16, 3, 3);
    counts = mp_cell_further(&must_read()->cells[0]);
    ck_assert_uint_eq(counts->compared, 0);
    ck_assert_uint_eq(counts->replaced, 0);
    *ended = (struct mp_live_mixed){.bytes = 160, .freed = 160, .larger = 9, .most_blocks = 2, .most_bytes = 30};
    *killed = (struct mp_live_mixed){.bytes = 100, .freed = 50, .larger = 11, .most_blocks = 4, .most_bytes = 40};
    counts = mp_cell_further(&must_read()->cells[0]);
    ck_assert_uint_eq(counts->compared, 22);
    ck_assert_uint_eq(counts->larger, 19);
    ck_assert_uint_eq(counts->replaced, 10 + 5);
    ck_assert_uint_eq(counts->replaced_bytes, 130 + 50);
}

TEST(a_share_of_the_peak_is_what_was_saved)
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
    peak_must_be(&profile->cells[0], 10, 160);
    peak_must_be(&profile->cells[1], 4, 64);
    ck_assert_int_eq(profile->meta.peak_bytes, 224);
    ck_assert_uint_eq(profile->meta.peak_slack, 0);
}

/* If the process reached a new peak during reading, the shares add up to more or less than the peak. The slack is at
 * least the difference. */
TEST(shares_add_up_within_the_slack)
{
    static const struct {
        int64_t peak;
        uint64_t slack, expected;
    } cases[] = {{160, 0, 0}, {200, 0, 40}, {100, 0, 60}, {200, 1000, 1000}};

    b.header.epoch = 9 * MP_EPOCH_PEAK;
    lb_cell(&b, add_context(), 16, 12, 12)->stamp = 9 * MP_EPOCH_PEAK;
    b.cells[0].saved = 10;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mp_profile *profile;

        b.header.peak_bytes = cases[i].peak;
        b.header.peak_slack = cases[i].slack;
        profile = must_read();
        ck_assert_int_eq(profile->meta.peak_bytes, cases[i].peak);
        ck_assert_uint_eq(profile->meta.peak_slack, cases[i].expected);
    }
}

/* Shares of single cells may be negative, but a sealed file with a negative peak would be damaged. */
TEST(the_peak_is_never_negative)
{
    const struct mp_profile *profile;

    b.header.epoch = 9 * MP_EPOCH_PEAK;
    lb_cell(&b, add_context(), 16, 12, 12)->stamp = 9 * MP_EPOCH_PEAK;
    b.cells[0].saved = -10;
    profile = must_read();
    ck_assert_int_eq(profile->cells[0].counts.peak_blocks, -10);
    ck_assert_int_eq(profile->meta.peak_blocks, 0);
    ck_assert_uint_eq(profile->meta.peak_slack, 160);
}

TEST(a_total_above_the_recorded_peak_is_the_peak)
{
    struct mp_profile *profile;

    b.header.epoch = 9 * MP_EPOCH_PEAK;
    b.header.peak_bytes = 100;
    b.header.live_bytes = 90;
    lb_recorder(&b)->pending_bytes = 70;
    lb_cell(&b, add_context(), 16, 12, 2)->stamp = 9 * MP_EPOCH_PEAK;
    b.cells[0].saved = 3;
    profile = must_read();
    ck_assert_int_eq(profile->meta.peak_bytes, 160);
    ck_assert_int_eq(profile->meta.peak_blocks, 10);
    ck_assert_int_eq(profile->cells[0].counts.peak_bytes, 160);
}

TEST(blocks_of_realloc_are_summed)
{
    const uint32_t f = lb_frame(&b, 0, 0x1100);
    const uint32_t one = lb_context(&b, 0, f), other = lb_context(&b, 0, f);    /* two threads' */
    struct mp_profile *profile;

    lb_cell(&b, one, 16, 5, 0);
    lb_cell(&b, other, 16, 5, 0);
    b.resized[b.count[MP_EXT_RESIZED]++] = (struct mp_live_resized){
        .context = one, .reallocs = 5, .moved = 40, .steps = 4, .steps_from = 32, .steps_by = 16};
    b.resized[b.count[MP_EXT_RESIZED]++] = (struct mp_live_resized){.reallocs = 77};    /* not in use */
    b.resized[b.count[MP_EXT_RESIZED]++] = (struct mp_live_resized){
        .context = other, .reallocs = 1, .moved = 2, .steps = 1, .steps_from = 4, .steps_by = 8};
    profile = must_read();
    ck_assert_uint_eq(profile->n_cells, 1);
    assert_cell(&profile->cells[0], (struct mp_counts){
        .allocs = 10, .bytes = 160, .kept = 160, .kept_blocks = 10, .peak_bytes = 160, .peak_blocks = 10,
        .reallocs = 6, .moved = 42, .steps = 5, .steps_from = 36, .steps_by = 24});
}

TEST(lifetimes_are_summed)
{
    const uint32_t f = lb_frame(&b, 0, 0x1100);
    const uint32_t one = lb_context(&b, 0, f), other = lb_context(&b, 0, f);    /* two threads' */
    struct mp_profile *profile;

    lb_cell(&b, one, 16, 5, 4);
    lb_cell(&b, other, 16, 5, 5);
    profile = must_read();
    ck_assert(!profile->lifetimes && !mp_cell_lifetimes(&profile->cells[0]));
    b.header.lifetimes = 1;
    profile = must_read();
    ck_assert(profile->lifetimes && !mp_cell_lifetimes(&profile->cells[0]));
    b.lifetimes[b.count[MP_EXT_LIFETIMES]++] = (struct mp_live_lifetimes){
        .context = one, .blocks = {1, [3] = 2}, .bytes = {16, [3] = 32}};
    b.lifetimes[b.count[MP_EXT_LIFETIMES]++] = (struct mp_live_lifetimes){.blocks = {77}};      /* not in use */
    b.lifetimes[b.count[MP_EXT_LIFETIMES]++] = (struct mp_live_lifetimes){
        .context = other, .blocks = {[3] = 1, [14] = 2}, .bytes = {[3] = 16, [14] = 32}};
    profile = must_read();
    ck_assert_uint_eq(profile->n_cells, 1);
    ck_assert_uint_eq(mp_cell_lifetimes(&profile->cells[0])->blocks[0], 1);
    ck_assert_uint_eq(mp_cell_lifetimes(&profile->cells[0])->blocks[3], 3);
    ck_assert_uint_eq(mp_cell_lifetimes(&profile->cells[0])->bytes[3], 48);
    ck_assert_uint_eq(mp_lifetimes_short(mp_cell_lifetimes(&profile->cells[0])).blocks, 4);
    ck_assert_uint_eq(mp_lifetimes_all(mp_cell_lifetimes(&profile->cells[0])).blocks, 6);
}
/* SPDX-License-Identifier: MIT */
