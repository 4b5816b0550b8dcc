/*
 * Live files of older versions, and that one version says the same as another.
 */
#include "tests/unit/tap.h"

#include <stdio.h>
#include <stdlib.h>

#include "reporter/profile/lifetimes.h"
#include "reporter/profile/timeline.h"
#include "reporter/read/reader.h"
#include "tests/unit/profile_checks.h"
#include "tests/unit/reader_live_fixture.h"

static struct mp_profile *
must_read_old(const char *name)
{
    const char *srcdir = getenv("srcdir");
    struct mp_profile *profile;
    char path[4096];

    snprintf(path, sizeof path, "%s/tests/data/%s", srcdir ? srcdir : ".", name);
    profile = mp_read(path, &error);
    ck_assert_msg(profile != NULL, "%s", error.text);
    return profile;
}

START_TEST(old_live_file_is_readable)
{
    struct mp_profile *old = must_read_old("live-1.data"), *now;

    lb_widgets(&b);
    now = must_read();
    assert_equal_but_for_file(old, now);
}
END_TEST

/* tests/programs/peak.c, recorded in version 2, which had sizes in bins only and shares of the peak in
 * tails.  The numbers are those that the program printed, and that its loops say. */
START_TEST(a_recording_of_version_2_is_readable)
{
    static const struct { uint32_t size; uint64_t allocs, bytes, frees; } bins[] = {
        {40, 1000, 40000, 993}, {64, 100, 6400, 100}, {200, 50, 10000, 50}, {1000, 1, 1000, 1},
        {MP_BIN_LARGE, 92, 602000, 92}};
    struct mp_profile *old = must_read_old("live-2-peak.data");
    struct mp_totals totals;
    int64_t share = 0;

    mp_profile_totals(old, &totals);
    ck_assert_uint_eq(totals.all.allocs, 1243);
    ck_assert_uint_eq(totals.all.bytes, 659400);
    ck_assert_uint_eq(totals.all.frees, 1236);
    ck_assert_uint_eq(totals.all.temporary, 183);
    for (size_t i = 0; i < sizeof bins / sizeof *bins; i++) {
        ck_assert_uint_eq(old->bins[bins[i].size].allocs, bins[i].allocs);
        ck_assert_uint_eq(old->bins[bins[i].size].bytes, bins[i].bytes);
        ck_assert_uint_eq(old->bins[bins[i].size].frees, bins[i].frees);
    }
    ck_assert_int_eq(old->meta.peak_bytes, 80000);
    ck_assert_int_eq(old->meta.peak_blocks, 372);
    for (uint32_t i = 0; i < old->n_cells; i++)
        share += old->cells[i].counts.peak_bytes;
    ck_assert_int_eq(share, 80000);
    ck_assert_uint_eq(old->meta.peak_slack, 0);
    mp_profile_free(old);
}
END_TEST

START_TEST(a_sampled_recording_of_version_3_is_readable)
{
    struct mp_profile *old = must_read_old("live-3-sampled.data");

    assert_sampled_peak(old);
    mp_profile_free(old);
}
END_TEST

/* tests/programs/checkpoints.c, whose phases are known. */
START_TEST(checkpoints_of_version_4_are_readable)
{
    static const struct { const char *name; uint64_t live, blocks; } expected[] = {
        {"", 0, 0}, {"nothing", 0, 0}, {"one", 100000, 1000}, {"two", 75000, 900}, {"one", 75063, 907},
        {"", 79159, 908}};      /* stdout's buffer */
    struct mp_profile *old = must_read_old("live-4-checkpoints.data");
    const struct mp_timeline *line = old->timeline;

    ck_assert_ptr_nonnull(line);
    ck_assert_uint_eq(line->n_moments, 6);
    ck_assert_uint_eq(line->n_points, 6);
    for (unsigned i = 0; i < 6; i++) {
        ck_assert_str_eq(line->moments[i].name, expected[i].name);
        ck_assert(line->moments[i].exact && line->moments[i].has_changes);
        ck_assert_uint_eq(line->points[i].live, expected[i].live);
        ck_assert_uint_eq(line->points[i].blocks, expected[i].blocks);
    }
    ck_assert_int_eq(line->moments[5].kind, MP_MOMENT_END);
    ck_assert_int_eq(old->meta.peak_bytes, 100000);
    mp_profile_free(old);
}
END_TEST

/* tests/programs/findings.c steps: 60 blocks, each made larger 1999 times by 50 bytes. */
START_TEST(blocks_of_realloc_of_version_4_are_readable)
{
    struct mp_profile *old = must_read_old("live-4-realloc.data");
    struct mp_totals totals;

    mp_profile_totals(old, &totals);
    ck_assert_uint_eq(totals.all.allocs, 120000);
    ck_assert_uint_eq(totals.all.reallocs, 119940);
    ck_assert_uint_eq(totals.all.steps, 119940);
    ck_assert_uint_eq(totals.all.steps_from, 119940 * (uint64_t)50000);
    ck_assert_uint_eq(totals.all.steps_by, 119940 * 50);
    mp_profile_free(old);
}
END_TEST

/* tests/programs/findings.c young: in each of 3,000 rounds 100 words of 96 and 64 bytes by turns, freed in the
 * order in which they were made; so the last of them lived 0 bytes, the one before it 64, and so on. */
START_TEST(lifetimes_of_version_4_are_readable)
{
    static const uint64_t blocks[] = {3000, 3000, 15000, 57000, 222000};
    struct mp_profile *old = must_read_old("live-4-lifetimes.data");
    const struct mp_lifetimes *lifetimes;

    ck_assert(old->lifetimes);
    ck_assert_uint_eq(old->n_cells, 1);
    lifetimes = old->cells[0].lifetimes;
    ck_assert_ptr_nonnull(lifetimes);
    for (unsigned i = 0; i < MP_LIFETIMES; i++)
        ck_assert_uint_eq(lifetimes->blocks[i], i < 5 ? blocks[i] : 0);
    ck_assert_uint_eq(mp_lifetimes_all(lifetimes).bytes, 24000000);
    mp_profile_free(old);
}
END_TEST

/* tests/programs/stack_depths.c threads coroutine: main, one thread, and four of another function, of which the
 * last has the recorder still. */
START_TEST(stacks_of_version_4_are_readable)
{
    struct mp_profile *old = must_read_old("live-4-stacks.data");
    uint32_t threads[4] = {0};
    static const uint64_t deepest[] = {864, 336, 4176, 5456};
    unsigned away = 0;

    ck_assert_uint_eq(old->n_stacks, 4);
    for (uint32_t i = 0; i < 4; i++)
        for (unsigned k = 0; k < 4; k++)
            if (old->stacks[i].deepest == deepest[k]) {
                threads[k] = old->stacks[i].threads;
                away += old->stacks[i].away << k;
            }
    ck_assert(threads[0] == 1 && threads[1] == 1 && threads[2] == 3 && threads[3] == 1);
    ck_assert_uint_eq(away, 1);
    mp_profile_free(old);
}
END_TEST

/* What one version after the other would have written. */
START_TEST(versions_say_the_same)
{
    struct mp_profile *now, *old;

    lb_widgets(&b);
    now = must_read();
    lb_turn_back(&b, 2);
    old = must_read();
    assert_equal_but_for_file(now, old);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("reader_live_old");
    TCase *tests = tcase_create("versions");

    tcase_add_checked_fixture(tests, set_up, NULL);
    tcase_add_test(tests, old_live_file_is_readable);
    tcase_add_test(tests, a_recording_of_version_2_is_readable);
    tcase_add_test(tests, a_sampled_recording_of_version_3_is_readable);
    tcase_add_test(tests, checkpoints_of_version_4_are_readable);
    tcase_add_test(tests, blocks_of_realloc_of_version_4_are_readable);
    tcase_add_test(tests, lifetimes_of_version_4_are_readable);
    tcase_add_test(tests, stacks_of_version_4_are_readable);
    tcase_add_test(tests, versions_say_the_same);
    suite_add_tcase(suite, tests);
    return tap_run(suite);
}
