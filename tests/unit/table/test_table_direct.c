#include "tests/unit/tap.h"

#include <string.h>

#include "tests/unit/golden.h"
#include "tests/unit/made_table.h"
#include "tests/unit/profile_builder.h"

static const char *
printed(struct mp_profile *profile, const struct mp_print_options *options)
{
    const struct mp_table_request request = {.profile = profile, .options = options};

    return made_table_text(made_table(mp_table_direct, request));
}

/* Chains with 1,000 bytes together: 750 in a large block, 240 in medium blocks, 6 and 4 in small blocks. */
#define FOUR                                                                                       \
    {{"main;large", MP_KIND_LARGE, 1, 750, 1, 750}, {"main;medium", MP_KIND_MEDIUM, 2, 240, 1, 120}, \
     {"main;six", MP_KIND_SMALL, 1, 6, 0, 0}, {"main;four", MP_KIND_SMALL, 1, 4, 0, 0}}

/* Tables, and the golden file that each must equal, or parts that it has and one that it lacks. */
static const struct {
    const char *name;
    struct pb_row rows[5];
    enum mp_verbosity verbosity;
    const char *golden, *has[2], *lacks;
} cases[] = {
    {"fields, thresholds and last line", FOUR, MP_NORMAL, "four-direct.txt", {0}, NULL},
    {"terse shows from one percent", FOUR, MP_TERSE, NULL,
     {"medium\n", "2 functions of less than 1 % left out: 10 bytes (1.0 %), 2 calls\n"}, "six"},
    {"verbose shows all", FOUR, MP_VERBOSE, NULL, {"four\n"}, "left out"},
    {"the largest numbers keep the columns",
     {{"main;f", MP_KIND_EXTRA, INT64_MAX, INT64_MAX, 0, 0}, {"main;g", MP_KIND_SMALL, 1, INT64_MAX, 0, 0}},
     MP_NORMAL, "largest-direct.txt", {0}, NULL},
};

TEST_CASES(direct_allocation, cases)
{
    struct mp_print_options options = MP_PRINT_DEFAULT;
    const char *text;

    options.verbosity = cases[_i].verbosity;
    text = printed(pb_done(pb_of(cases[_i].rows)), &options);
    if (cases[_i].golden)
        golden_check(text, cases[_i].golden);
    for (unsigned i = 0; i < 2 && cases[_i].has[i]; i++)
        must_have(text, cases[_i].has[i]);
    if (cases[_i].lacks)
        must_lack(text, cases[_i].lacks);
}

TEST(figure_4_and_nothing)
{
    const struct mp_print_options options = MP_PRINT_DEFAULT;

    golden_check(printed(pb_example(), &options), "example-direct.txt");
    ck_assert_str_eq(printed(pb_done(pb_new()), &options), "TABLE 3: DIRECT ALLOCATION\n\nNothing was allocated.\n");
}

TEST(no_name_is_cut_on_a_terminal_either)
{
    static const char name[] = "a_name_that_is_quite_a_bit_longer_than_what_is_left_of_a_line_of_"
                               "one_hundred_columns";
    struct mp_print_options options = MP_PRINT_DEFAULT;
    const char *whole = printed(PROFILE_OF({name, MP_KIND_SMALL, 1, 1, 0, 0}), &options);

    must_have(whole, name);
    options.width = 40;
    ck_assert_str_eq(printed(PROFILE_OF({name, MP_KIND_SMALL, 1, 1, 0, 0}), &options), whole);
}
/* SPDX-License-Identifier: MIT */
