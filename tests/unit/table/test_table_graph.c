#include "tests/unit/tap.h"

#include <string.h>

#include "tests/unit/golden.h"
#include "tests/unit/made_table.h"
#include "tests/unit/profile_builder.h"

static struct made_table
made(struct mp_profile *profile, const struct mp_print_options *options)
{
    return made_table(mp_table_graph, (struct mp_table_request){.profile = profile, .options = options});
}

static char *
printed_with(struct mp_profile *profile, const struct mp_print_options *options)
{
    return made_table_text(made(profile, options));
}

static char *
printed(struct mp_profile *profile, enum mp_verbosity verbosity)
{
    struct mp_print_options options = MP_PRINT_DEFAULT;

    options.verbosity = verbosity;
    return printed_with(profile, &options);
}

#define SMALL MP_KIND_SMALL

static const struct {
    const char *name;
    enum mp_verbosity verbosity;
    bool form_1988;             /* with indices after names */
    struct pb_row rows[6];
    const char *golden;
} cases[] = {
    {"figure 6", MP_NORMAL, true, {{"main;F;G;F;G", SMALL, 1, 10, 0, 0}}, "figure6-graph.txt"},
    /* A cycle with two ways in and two ways out, beside a function that calls itself. */
    {"a cycle is listed twice", MP_VERBOSE, false,
     {{"main;parse;expr;term;new_node", SMALL, 10, 300, 0, 0},
      {"main;parse;expr;term;expr;term;new_node", SMALL, 5, 150, 5, 150},
      {"main;eval;term;expr", MP_KIND_LARGE, 1, 1000, 0, 0},
      {"main;eval;term;factor;expr;new_list", MP_KIND_MEDIUM, 2, 100, 2, 100},
      {"main;copy;copy;copy", MP_KIND_MEDIUM, 4, 450, 0, 0}}, "cycle-graph.txt"},
    {"small rows are put together and small entries left out", MP_NORMAL, false,
     {{"main;big", MP_KIND_EXTRA, 1, 9979, 0, 0}, {"main;a", SMALL, 1, 7, 0, 0}, {"main;b", SMALL, 2, 7, 0, 0},
      {"main;c", SMALL, 3, 7, 0, 0}}, "others-graph.txt"},
    {"the largest numbers keep the columns", MP_VERBOSE, false,
     {{"main;f", MP_KIND_EXTRA, INT64_MAX, INT64_MAX, 0, 0}, {"main;f;f;f", SMALL, INT64_MAX, INT64_MAX, 0, 0},
      {"main;g", SMALL, 1, 1, 0, 0}}, "largest-graph.txt"},
};

TEST_CASES(graphs, cases)
{
    struct mp_print_options options = MP_PRINT_DEFAULT;

    options.verbosity = cases[_i].verbosity;
    options.form_1988 = cases[_i].form_1988;
    golden_check(printed_with(pb_done(pb_of(cases[_i].rows)), &options), cases[_i].golden);
}

TEST(figure_5)
{
    struct mp_print_options options = MP_PRINT_DEFAULT;

    golden_check(printed_with(pb_example(), &options), "example-graph.txt");
    options.form_1988 = true;
    golden_check(printed_with(pb_example(), &options), "figure5-graph.txt");
}

/* The core of an interpreter: 24 operations and their dispatcher, which nearly all bytes pass. */
static struct mp_profile *
interpreter(void)
{
    struct pb *pb = pb_new();
    char program[512] = "main;run", chain[128];
    size_t length = strlen(program);

    for (unsigned i = 0; i < 24; i++) {
        length += (size_t)sprintf(program + length, ";op%u;run", i);
        sprintf(chain, "main;run;op%u;new%u", i, i % 12);
        pb_add(pb, chain, MP_KIND_SMALL, 1, 10 + i, 0, 0);
    }
    strcpy(program + length, ";op7;cons");
    pb_add(pb, program, MP_KIND_MEDIUM, 1000, 96000, 0, 0);
    strcpy(program + length, ";op3;op4;list;cons");
    pb_add(pb, program, MP_KIND_SMALL, 100, 3000, 0, 0);
    pb_add(pb, "main;load;run;op5;op6;run", MP_KIND_LARGE, 2, 600, 0, 0);
    return pb_done(pb);
}

TEST(a_large_cycle_has_its_members_then_what_leaves_it)
{
    char *text = printed(interpreter(), MP_NORMAL), *end;

    end = strstr(text, "(40 others)\n---");
    ck_assert_ptr_nonnull(end);
    *strchr(end, '-') = '\0';   /* cuts off the entries of functions, which follow the cycle */
    golden_check(text, "large-cycle-graph.txt");
}

TEST(a_verbose_report_has_all_of_a_cycle)
{
    char *text = printed(interpreter(), MP_VERBOSE), *members;

    ck_assert_ptr_null(strstr(text, " others)"));
    members = strstr(text, " [1]   <cycle 1 as a whole>, 25 members:\n");
    ck_assert_ptr_nonnull(members);
    for (unsigned i = 0; i < 25; i++) {
        members = strchr(members, '\n') + 1;
        ck_assert_ptr_nonnull(memmem(members, (size_t)(strchr(members, '\n') - members),
                                     " <cycle 1>", 10));
    }
    ck_assert_int_eq(strchr(members, '\n')[1], '-');
}

/* Graphs of the interpreter with other options, and parts that they have. */
static const struct {
    const char *name;
    enum mp_verbosity verbosity;
    unsigned most, permille;
    bool color;
    const char *has[6];
} limits[] = {
    {"a number of rows holds for each list of a cycle, and the table", MP_NORMAL, 2, 0, false,
     {"(23 others)\n---",                            /* members */
      "(12 others)\n              all ",             /* callees */
      "(12 others)\nThe innermost", "(23 others)\nStrongest", "(48 others)\n---",
      "\n40 more entries left out\n"}},
    {"one other", MP_VERBOSE, 13, 0, false, {"(1 other)\nThe innermost"}},
    {"what is small in a cycle is put together", MP_NORMAL, 0, 990, false,
     {" [2]       run > [4] op5\n", " [3]       op6 > [2] run\n", "(48 others)\n---"}},
    {"names of entries are bold on a terminal", MP_NORMAL, 0, 0, true,
     {"  [0]   \033[1mmain\033[0m\n", "  [2]       run <cycle 1>\n", "  [2]   \033[1mrun <cycle 1>\033[0m\n"}},
};

TEST_CASES(options_hold_in_cycles, limits)
{
    struct mp_print_options options = MP_PRINT_DEFAULT;
    const char *text;

    options.verbosity = limits[_i].verbosity;
    options.most = limits[_i].most;
    options.permille = limits[_i].permille;
    options.color = limits[_i].color;
    text = printed_with(interpreter(), &options);
    for (unsigned i = 0; i < 6 && limits[_i].has[i]; i++)
        must_have(text, limits[_i].has[i]);
}

TEST(a_full_disk_is_an_error)
{
    struct mp_print_options options = MP_PRINT_DEFAULT;
    FILE *full = fopen("/dev/full", "w");
    struct mp_error error = { 0 };

    ck_assert_ptr_nonnull(full);
    setbuf(full, NULL);
    ck_assert(!made_table_print(made(pb_example(), &options), full, &error));
    fclose(full);
    ck_assert_str_eq(error.text, "writing the report: No space left on device");
}

TEST(a_thread_that_recurs_has_a_row_without_a_caller)
{
    const char *text = printed(PROFILE_OF({"worker", SMALL, 3, 30, 0, 0}, {"main;worker", SMALL, 7, 70, 0, 0}),
                               MP_NORMAL);

    must_have(text, "<no caller>\n");
    must_have(text, "        all      100");
}

TEST(nothing_was_allocated)
{
    must_lack(printed(pb_done(pb_new()), MP_NORMAL), "[0]");
}
/* SPDX-License-Identifier: MIT */
