#include "tests/unit/tap.h"

#include <string.h>

#include "tests/unit/golden.h"
#include "tests/unit/made_table.h"
#include "tests/unit/profile_builder.h"

/* What the table of PROFILE looks like. */
static char *
printed(struct mp_profile *profile, const struct mp_print_options *options)
{
    const struct mp_table_request request = {.profile = profile, .options = options};

    return made_table_text(made_table(mp_table_direct, request));
}

/* 1,000 bytes: large 750, medium 240, small 6 and 4. */
static struct mp_profile *
four_functions(void)
{
    return PROFILE_OF({"main;large", MP_KIND_LARGE, 1, 750, 1, 750},
                      {"main;medium", MP_KIND_MEDIUM, 2, 240, 1, 120},
                      {"main;six", MP_KIND_SMALL, 1, 6, 0, 0},
                      {"main;four", MP_KIND_SMALL, 1, 4, 0, 0});
}

static char *
four_printed(enum mp_verbosity verbosity)
{
    struct mp_print_options options = MP_PRINT_DEFAULT;

    options.verbosity = verbosity;
    return printed(four_functions(), &options);
}

TEST(figure_4)
{
    const struct mp_print_options options = MP_PRINT_DEFAULT;
    char *text = printed(pb_example(), &options);

    golden_check(text, "example-direct.txt");
}

TEST(fields_thresholds_and_last_line)
{
    char *text = four_printed(MP_NORMAL);

    golden_check(text, "four-direct.txt");
}

TEST(terse_shows_from_one_percent)
{
    char *text = four_printed(MP_TERSE);

    ck_assert_ptr_nonnull(strstr(text, "medium\n"));
    ck_assert_ptr_null(strstr(text, "six"));
    ck_assert_ptr_nonnull(strstr(text, "2 functions of less than 1 % left out: "
                                       "10 bytes (1.0 %), 2 calls\n"));
}

TEST(verbose_shows_all)
{
    char *text = four_printed(MP_VERBOSE);

    ck_assert_ptr_nonnull(strstr(text, "four\n"));
    ck_assert_ptr_null(strstr(text, "left out"));
}

TEST(no_name_is_cut_on_a_terminal_either)
{
    static const char name[] = "a_name_that_is_quite_a_bit_longer_than_what_is_left_of_a_line_of_"
                               "one_hundred_columns";
    struct mp_print_options options = MP_PRINT_DEFAULT;
    char *texts[2];

    for (int i = 0; i < 2; i++) {
        struct pb *pb = pb_new();

        pb_add(pb, name, MP_KIND_SMALL, 1, 1, 0, 0);
        options.width = i == 0 ? 0 : 40;
        texts[i] = printed(pb_done(pb), &options);
    }
    ck_assert_ptr_nonnull(strstr(texts[0], name));
    ck_assert_str_eq(texts[0], texts[1]);
}

TEST(the_largest_numbers_keep_the_columns)
{
    const struct mp_print_options options = MP_PRINT_DEFAULT;
    char *text;

    text = printed(PROFILE_OF({"main;f", MP_KIND_EXTRA, INT64_MAX, INT64_MAX, 0, 0},
                              {"main;g", MP_KIND_SMALL, 1, INT64_MAX, 0, 0}), &options);
    golden_check(text, "largest-direct.txt");
}

TEST(nothing_was_allocated)
{
    const struct mp_print_options options = MP_PRINT_DEFAULT;
    char *text = printed(pb_done(pb_new()), &options);

    ck_assert_str_eq(text, "TABLE 3: DIRECT ALLOCATION\n\nNothing was allocated.\n");
}
