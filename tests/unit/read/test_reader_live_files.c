/*
 * Live files of programs whose figures are known, as they were recorded once.
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
must_read_file(const char *name)
{
    const char *srcdir = getenv("srcdir");
    struct mp_profile *profile;
    char path[4096];

    snprintf(path, sizeof path, "%s/tests/data/%s", srcdir ? srcdir : ".", name);
    profile = mp_read(path, &error);
    ck_assert_msg(profile != NULL, "%s", error.text);
    return profile;
}

/* tests/programs/checkpoints.c, whose phases are known. */
START_TEST(checkpoints_are_readable)
{
    static const struct { const char *name; uint64_t live, blocks; } expected[] = {
        {"", 0, 0}, {"nothing", 0, 0}, {"one", 100000, 1000}, {"two", 75000, 900}, {"one", 75063, 907},
        {"", 79159, 908}};      /* stdout's buffer */
    struct mp_profile *profile = must_read_file("live-checkpoints.data");
    const struct mp_timeline *line = profile->timeline;

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
    ck_assert_int_eq(profile->meta.peak_bytes, 100000);
    mp_profile_free(profile);
}
END_TEST

/* tests/programs/findings.c steps: 60 blocks, each made larger 1999 times by 50 bytes. */
START_TEST(blocks_of_realloc_are_readable)
{
    struct mp_profile *profile = must_read_file("live-realloc.data");
    struct mp_totals totals;

    mp_profile_totals(profile, &totals);
    ck_assert_uint_eq(totals.all.allocs, 120000);
    ck_assert_uint_eq(totals.all.reallocs, 119940);
    ck_assert_uint_eq(totals.all.steps, 119940);
    ck_assert_uint_eq(totals.all.steps_from, 119940 * (uint64_t)50000);
    ck_assert_uint_eq(totals.all.steps_by, 119940 * 50);
    mp_profile_free(profile);
}
END_TEST

/* tests/programs/findings.c young: in each of 3,000 rounds 100 words of 96 and 64 bytes by turns, freed in the
 * order in which they were made; so the last of them lived 0 bytes, the one before it 64, and so on. */
START_TEST(lifetimes_are_readable)
{
    static const uint64_t blocks[] = {3000, 3000, 15000, 57000, 222000};
    struct mp_profile *profile = must_read_file("live-lifetimes.data");
    const struct mp_lifetimes *lifetimes;

    ck_assert(profile->lifetimes);
    ck_assert_uint_eq(profile->n_cells, 1);
    lifetimes = profile->cells[0].lifetimes;
    ck_assert_ptr_nonnull(lifetimes);
    for (unsigned i = 0; i < MP_LIFETIMES; i++)
        ck_assert_uint_eq(lifetimes->blocks[i], i < 5 ? blocks[i] : 0);
    ck_assert_uint_eq(mp_lifetimes_all(lifetimes).bytes, 24000000);
    mp_profile_free(profile);
}
END_TEST

/* tests/programs/stack_depths.c threads coroutine: main, one thread, and four of another function, of which the
 * last has the recorder still. */
START_TEST(stacks_are_readable)
{
    struct mp_profile *profile = must_read_file("live-stacks.data");
    uint32_t threads[4] = {0};
    static const uint64_t deepest[] = {864, 336, 4176, 5456};
    unsigned away = 0;

    ck_assert_uint_eq(profile->n_stacks, 4);
    for (uint32_t i = 0; i < 4; i++)
        for (unsigned k = 0; k < 4; k++)
            if (profile->stacks[i].deepest == deepest[k]) {
                threads[k] = profile->stacks[i].threads;
                away += profile->stacks[i].away << k;
            }
    ck_assert(threads[0] == 1 && threads[1] == 1 && threads[2] == 3 && threads[3] == 1);
    ck_assert_uint_eq(away, 1);
    mp_profile_free(profile);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("reader_live_files");
    TCase *tests = tcase_create("files");

    tcase_add_checked_fixture(tests, set_up, NULL);
    tcase_add_test(tests, checkpoints_are_readable);
    tcase_add_test(tests, blocks_of_realloc_are_readable);
    tcase_add_test(tests, lifetimes_are_readable);
    tcase_add_test(tests, stacks_are_readable);
    suite_add_tcase(suite, tests);
    return tap_run(suite);
}
