#include "tests/unit/tap.h"

#include <string.h>

#include "tests/unit/golden.h"
#include "tests/unit/made_table.h"
#include "tests/unit/profile_builder.h"

/* Prints the table of PROFILE and closes OUT. */
static bool
print(struct mp_profile *profile, const struct mp_print_options *options, FILE *out,
      struct mp_error *error)
{
    const struct mp_table_request request = {.profile = profile, .options = options};
    bool ok = made_table_print(made_table(mp_table_graph, request), out, error);

    fclose(out);
    return ok;
}

/* What the table looks like. */
static char *
printed_with(struct mp_profile *profile, const struct mp_print_options *options)
{
    struct mp_error error;
    char *text;
    FILE *out = golden_stream(&text);

    ck_assert(print(profile, options, out, &error));
    return tap_keep(text, free);
}

static char *
printed(struct mp_profile *profile, enum mp_verbosity verbosity)
{
    struct mp_print_options options = MP_PRINT_DEFAULT;

    options.verbosity = verbosity;
    return printed_with(profile, &options);
}

static void
check(struct pb *pb, enum mp_verbosity verbosity, const char *golden)
{
    char *text = printed(pb_done(pb), verbosity);

    golden_check(text, golden);
}

/* As it was printed then, with indices behind names. */
static void
check_1988(struct mp_profile *profile, const char *golden)
{
    struct mp_print_options options = MP_PRINT_DEFAULT;
    char *text;

    options.form_1988 = true;
    text = printed_with(profile, &options);
    golden_check(text, golden);
}

TEST(figure_5)
{
    char *text = printed(pb_example(), MP_NORMAL);

    golden_check(text, "example-graph.txt");
    check_1988(pb_example(), "figure5-graph.txt");
}

TEST(figure_6)
{
    check_1988(PROFILE_OF({"main;F;G;F;G", MP_KIND_SMALL, 1, 10, 0, 0}), "figure6-graph.txt");
}

/* A cycle with two ways in and two ways out, beside a function that calls itself. */
TEST(a_cycle_is_listed_twice)
{
    struct pb *pb = pb_new();

    pb_add(pb, "main;parse;expr;term;new_node", MP_KIND_SMALL, 10, 300, 0, 0);
    pb_add(pb, "main;parse;expr;term;expr;term;new_node", MP_KIND_SMALL, 5, 150, 5, 150);
    pb_add(pb, "main;eval;term;expr", MP_KIND_LARGE, 1, 1000, 0, 0);
    pb_add(pb, "main;eval;term;factor;expr;new_list", MP_KIND_MEDIUM, 2, 100, 2, 100);
    pb_add(pb, "main;copy;copy;copy", MP_KIND_MEDIUM, 4, 450, 0, 0);
    check(pb, MP_VERBOSE, "cycle-graph.txt");
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

TEST(a_large_cycle_begins_with_what_leaves_it)
{
    char *text = printed(interpreter(), MP_NORMAL), *end;

    end = strstr(text, "(5 others)\n---");
    ck_assert_ptr_nonnull(end);
    *strchr(end, '-') = '\0';   /* the entries of functions are as ever */
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

/* Of each list, as of the table. */
TEST(a_number_of_rows_holds_for_the_lists_of_a_cycle)
{
    struct mp_print_options options = MP_PRINT_DEFAULT;
    char *text;

    options.most = 2;
    text = printed_with(interpreter(), &options);
    ck_assert_ptr_nonnull(strstr(text, "(12 others)\n              all "));  /* callees */
    ck_assert_ptr_nonnull(strstr(text, "(12 others)\nThe innermost"));
    ck_assert_ptr_nonnull(strstr(text, "(23 others)\nStrongest"));
    ck_assert_ptr_nonnull(strstr(text, "(48 others)\n---"));
    ck_assert_ptr_nonnull(strstr(text, "(23 others)\n---"));                 /* members */
    ck_assert_ptr_nonnull(strstr(text, "\n40 more entries left out\n"));

    options.most = 13;
    options.verbosity = MP_VERBOSE;
    text = printed_with(interpreter(), &options);
    ck_assert_ptr_nonnull(strstr(text, "(1 other)\nThe innermost"));
}

TEST(what_is_small_in_a_cycle_is_put_together)
{
    struct mp_print_options options = MP_PRINT_DEFAULT;
    char *text;

    options.permille = 990;
    text = printed_with(interpreter(), &options);
    ck_assert_ptr_nonnull(strstr(text, " [2]       run > [4] op5\n"));
    ck_assert_ptr_nonnull(strstr(text, " [3]       op6 > [2] run\n"));
    ck_assert_ptr_nonnull(strstr(text, "(48 others)\n---"));
}

TEST(names_of_entries_are_bold_on_a_terminal)
{
    struct mp_print_options options = MP_PRINT_DEFAULT;
    char *text;

    options.color = true;
    text = printed_with(interpreter(), &options);
    ck_assert_ptr_nonnull(strstr(text, "  [0]   \033[1mmain\033[0m\n"));
    ck_assert_ptr_nonnull(strstr(text, "  [2]       run <cycle 1>\n"));
    ck_assert_ptr_nonnull(strstr(text, "  [2]   \033[1mrun <cycle 1>\033[0m\n"));
}

TEST(a_full_disk_is_an_error)
{
    struct mp_print_options options = MP_PRINT_DEFAULT;
    FILE *full = fopen("/dev/full", "w");
    struct mp_error error = { 0 };

    ck_assert_ptr_nonnull(full);
    setbuf(full, NULL);
    ck_assert(!print(pb_example(), &options, full, &error));
    ck_assert_str_eq(error.text, "writing the report: No space left on device");
}

TEST(a_thread_that_recurs_has_a_row_without_a_caller)
{
    char *text;

    text = printed(PROFILE_OF({"worker", MP_KIND_SMALL, 3, 30, 0, 0},
                              {"main;worker", MP_KIND_SMALL, 7, 70, 0, 0}), MP_NORMAL);
    ck_assert_ptr_nonnull(strstr(text, "<no caller>\n"));
    ck_assert_ptr_nonnull(strstr(text, "        all      100"));
}

TEST(small_rows_are_put_together_and_small_entries_left_out)
{
    struct pb *pb = pb_new();

    pb_add(pb, "main;big", MP_KIND_EXTRA, 1, 9979, 0, 0);
    pb_add(pb, "main;a", MP_KIND_SMALL, 1, 7, 0, 0);
    pb_add(pb, "main;b", MP_KIND_SMALL, 2, 7, 0, 0);
    pb_add(pb, "main;c", MP_KIND_SMALL, 3, 7, 0, 0);
    check(pb, MP_NORMAL, "others-graph.txt");
}

TEST(the_largest_numbers_keep_the_columns)
{
    struct pb *pb = pb_new();

    pb_add(pb, "main;f", MP_KIND_EXTRA, INT64_MAX, INT64_MAX, 0, 0);
    pb_add(pb, "main;f;f;f", MP_KIND_SMALL, INT64_MAX, INT64_MAX, 0, 0);
    pb_add(pb, "main;g", MP_KIND_SMALL, 1, 1, 0, 0);
    check(pb, MP_VERBOSE, "largest-graph.txt");
}

TEST(nothing_was_allocated)
{
    char *text = printed(pb_done(pb_new()), MP_NORMAL);

    ck_assert_ptr_null(strstr(text, "[0]"));
}
