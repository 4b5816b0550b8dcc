#include "tests/unit/tap.h"

#include "tests/unit/handmade.h"
#include "tests/unit/made_table.h"

static char *
table(const struct mp_profile *profile, enum mp_verbosity verbosity)
{
    const struct mp_print_options options = {.verbosity = verbosity};
    const struct mp_table_source source = {.profile = profile, .options = &options};

    return hand_squeeze(made_table_text(made_table(mp_table_bins, source)));
}

#define TITLE  "TABLE 1: ALLOCATION BINS\n\n"
#define FIELDS "size: allocs bytes (%) frees kept (%) types\n"

/* One bin of each kind: large, small share, small share of bytes but all that is kept. */
static struct mp_profile *
three_bins(void)
{
    struct mp_profile *profile = hand_new();

    profile->bins[100] = (struct mp_bin){99300, 9930000, 99300, 9930000, 0, 0};
    profile->bins[10] = (struct mp_bin){1000, 10000, 1000, 10000, 0, 0};
    profile->bins[20] = (struct mp_bin){500, 10000, 450, 9000, 0, 0};
    profile->bins[500] = (struct mp_bin){140, 70000, 140, 70000, 0, 0};
    return profile;
}

START_TEST(figure_3)
{
    struct mp_profile *profile = hand_example();
    char *text = table(profile, MP_NORMAL);

    ck_assert_str_eq(text, TITLE FIELDS "204 10000 2040000 (100) 4981 1023876 (100) widget\n"
                                        "> 1024 0 0 0 0\n"
                                        "<TOTAL> 10000 2040000 4981 1023876\n");
    free(text);
    mp_profile_free(profile);
}
END_TEST

START_TEST(verbose_shows_every_bin)
{
    struct mp_profile *profile = three_bins();
    char *text = table(profile, MP_VERBOSE);

    ck_assert_str_eq(text, TITLE FIELDS "10 1000 10000 1000 0\n"
                                        "20 500 10000 450 1000 (100)\n"
                                        "100 99300 9930000 (99) 99300 0\n"
                                        "500 140 70000 140 0\n"
                                        "> 1024 0 0 0 0\n"
                                        "<TOTAL> 100940 10020000 100890 1000\n");
    free(text);
    mp_profile_free(profile);
}
END_TEST

START_TEST(normal_shows_half_a_percent_of_bytes_or_kept)
{
    struct mp_profile *profile = three_bins();
    char *text = table(profile, MP_NORMAL);

    ck_assert(strstr(text, "\n20 500 "));
    ck_assert(strstr(text, "\n500 140 "));
    ck_assert(!strstr(text, "\n10 1000 "));
    ck_assert(strstr(text, "\n1 bin of less than 0.5 % left out: 1,000 allocations, "
                           "10,000 bytes, 1,000 frees, 0 bytes kept\n"));
    free(text);
    mp_profile_free(profile);
}
END_TEST

START_TEST(terse_shows_one_percent)
{
    struct mp_profile *profile = three_bins();
    char *text = table(profile, MP_TERSE);

    ck_assert(!strstr(text, "\n500 140 "));
    ck_assert(strstr(text, "\n2 bins of less than 1 % left out: 1,140 allocations, "
                           "80,000 bytes, 1,140 frees, 0 bytes kept\n"));
    free(text);
    mp_profile_free(profile);
}
END_TEST

START_TEST(large_blocks_share_a_bin)
{
    struct mp_profile *profile = hand_new();
    char *text;

    profile->bins[MP_BIN_LARGE] = (struct mp_bin){3, 9000, 1, 3000, 0, 0};
    profile->bins[1024] = (struct mp_bin){1, 1000, 0, 0, 0, 0};
    text = table(profile, MP_NORMAL);
    ck_assert(strstr(text, "\n1024 1 1000 (10) 0 1000 (14)\n"
                           "> 1024 3 9000 (90) 1 6000 (85)\n"
                           "<TOTAL> 4 10000 1 7000\n"));
    free(text);
    mp_profile_free(profile);
}
END_TEST

START_TEST(long_type_lists_are_cut_unless_verbose)
{
    static const char *const names[] = {"a", "b", "struct c", "d", "e", "f", "g", "h"};
    struct mp_profile *profile = hand_new();
    char *text;

    profile->bins[8] = (struct mp_bin){1, 8, 0, 0, 0, 0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        hand_type(profile, 8, names[i]);
    text = table(profile, MP_NORMAL);
    ck_assert(strstr(text, " a, b, struct c, d, e, f, and 2 more\n"));
    free(text);
    text = table(profile, MP_VERBOSE);
    ck_assert(strstr(text, " a, b, struct c, d, e, f, g, h\n"));
    free(text);
    mp_profile_free(profile);
}
END_TEST

/* Blocks from before mprof_restart() are freed after it. */
START_TEST(more_freed_than_allocated_keeps_nothing)
{
    struct mp_profile *profile = hand_new();
    char *text;

    profile->bins[8] = (struct mp_bin){1, 8, 3, 24, 0, 0};
    profile->bins[16] = (struct mp_bin){2, 32, 0, 0, 0, 0};
    text = table(profile, MP_VERBOSE);
    ck_assert(strstr(text, "\n8 1 8 (20) 3 0\n"));
    ck_assert(strstr(text, "<TOTAL> 3 40 3 32\n"));
    free(text);
    mp_profile_free(profile);
}
END_TEST

START_TEST(bins_of_no_bytes_are_shown)
{
    struct mp_profile *profile = hand_new();
    char *text;

    profile->bins[0] = (struct mp_bin){2, 0, 1, 0, 0, 0};
    text = table(profile, MP_NORMAL);
    ck_assert_str_eq(text, TITLE FIELDS "0 2 0 1 0\n> 1024 0 0 0 0\n<TOTAL> 2 0 1 0\n");
    free(text);
    mp_profile_free(profile);
}
END_TEST

START_TEST(an_empty_profile_has_no_bins)
{
    struct mp_profile *profile = hand_new();
    char *text = table(profile, MP_NORMAL);

    ck_assert_str_eq(text, TITLE "Nothing was allocated.\n");
    free(text);
    mp_profile_free(profile);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("table_bins");
    TCase *tests = tcase_create("table_bins");

    tcase_add_test(tests, figure_3);
    tcase_add_test(tests, verbose_shows_every_bin);
    tcase_add_test(tests, normal_shows_half_a_percent_of_bytes_or_kept);
    tcase_add_test(tests, terse_shows_one_percent);
    tcase_add_test(tests, large_blocks_share_a_bin);
    tcase_add_test(tests, long_type_lists_are_cut_unless_verbose);
    tcase_add_test(tests, more_freed_than_allocated_keeps_nothing);
    tcase_add_test(tests, bins_of_no_bytes_are_shown);
    tcase_add_test(tests, an_empty_profile_has_no_bins);
    suite_add_tcase(suite, tests);
    return tap_run(suite);
}
