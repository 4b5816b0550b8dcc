#include "tests/unit/tap.h"

#include "tests/unit/handmade.h"
#include "tests/unit/made_table.h"

#define TITLE "TABLE 2: MEMORY LEAKS\n\n"

static char *
table_with(const struct mp_profile *profile, struct mp_print_options options, bool all_frames)
{
    const struct mp_table_source source = {
        .profile = profile, .options = &options, .all_frames = all_frames};

    return hand_squeeze(made_table_text(made_table(mp_table_leaks, source)));
}

static char *
table(const struct mp_profile *profile)
{
    return table_with(profile, (struct mp_print_options)MP_PRINT_DEFAULT, false);
}

/* Chain of N functions NAMES, outermost first, under PARENT. */
static uint32_t
chain(struct mp_profile *profile, uint32_t parent, const char *const names[])
{
    for (; *names; names++)
        parent = hand_context(profile, parent, hand_simple(profile, *names));
    return parent;
}

START_TEST(figure_2)
{
    struct mp_profile *profile = hand_example();
    char *text = table(profile);

    ck_assert_str_eq(text, TITLE "allocs bytes (%) path\n"
                                 "5019 1023876 (100) || > main > make_red_widget > make_widget\n");
    free(text);
    mp_profile_free(profile);
}
END_TEST

START_TEST(a_long_chain_shows_its_last_five)
{
    static const char *const names[] = {"main", "a", "b", "c", "d", "e", NULL};
    struct mp_profile *profile = hand_new();
    char *text;

    hand_cell(profile, chain(profile, 0, names), 1, 10, 0, 0);
    text = table(profile);
    ck_assert(strstr(text, "\n1 10 (100) ... > a > b > c > d > e\n"));
    free(text);
    mp_profile_free(profile);
}
END_TEST

START_TEST(five_callers_are_a_complete_chain)
{
    static const char *const names[] = {"main", "a", "b", "c", "d", NULL};
    struct mp_profile *profile = hand_new();
    char *text;

    hand_cell(profile, chain(profile, 0, names), 1, 10, 0, 0);
    text = table(profile);
    ck_assert(strstr(text, " || > main > a > b > c > d\n"));
    free(text);
    mp_profile_free(profile);
}
END_TEST

START_TEST(chain_all_shows_every_caller)
{
    static const char *const names[] = {"main", "a", "b", "c", "d", "e", "f", NULL};
    struct mp_profile *profile = hand_new();
    char *text;

    hand_cell(profile, chain(profile, 0, names), 1, 10, 0, 0);
    text = table_with(profile, (struct mp_print_options){MP_NORMAL, .chain = 0}, false);
    ck_assert(strstr(text, " || > main > a > b > c > d > e > f\n"));
    free(text);
    mp_profile_free(profile);
}
END_TEST

/* Both chains end in b > c; with two callers shown they are one. */
START_TEST(equal_partial_chains_are_summed)
{
    struct mp_profile *profile = hand_new();
    uint32_t b = hand_simple(profile, "b"), c = hand_simple(profile, "c"), x, y;
    char *text;

    x = hand_context(profile, hand_context(profile, 0, hand_simple(profile, "x")), b);
    x = hand_context(profile, x, c);
    y = hand_context(profile, hand_context(profile, 0, hand_simple(profile, "y")), b);
    y = hand_context(profile, y, c);
    hand_cell(profile, x, 2, 20, 1, 10);
    hand_cell(profile, y, 3, 30, 1, 10);
    text = table_with(profile, (struct mp_print_options){MP_NORMAL, .chain = 2}, false);
    ck_assert_str_eq(text, TITLE "allocs bytes (%) frees bytes path\n"
                                 "5 50 (100) 2 20 ... > b > c\n");
    free(text);
    mp_profile_free(profile);
}
END_TEST

START_TEST(complete_and_cut_chains_are_told_apart)
{
    struct mp_profile *profile = hand_new();
    uint32_t f = hand_simple(profile, "f"), mark, whole, cut;
    char *text;

    mark = hand_context(profile, 0, hand_mark(profile, MP_FRAME_CUT_NO_RULE, "<cut>"));
    whole = hand_context(profile, 0, f);
    cut = hand_context(profile, mark, f);
    hand_cell(profile, whole, 1, 10, 0, 0);
    hand_cell(profile, cut, 1, 30, 0, 0);
    text = table(profile);
    ck_assert(strstr(text, "\n1 30 (75) ... > f\n1 10 (25) || > f\n"));
    free(text);
    mp_profile_free(profile);
}
END_TEST

START_TEST(what_was_freed_is_no_leak)
{
    static const char *const names[] = {"main", NULL};
    struct mp_profile *profile = hand_new();
    char *text;

    hand_cell(profile, chain(profile, 0, names), 7, 70, 7, 70);
    text = table(profile);
    ck_assert_str_eq(text, TITLE "No leaks: every block was freed.\n");
    free(text);
    mp_profile_free(profile);
}
END_TEST

START_TEST(fields_of_frees_are_blank_where_nothing_was_freed)
{
    static const char *const one[] = {"one", NULL}, *const two[] = {"two", NULL};
    struct mp_profile *profile = hand_new();
    uint32_t a = chain(profile, 0, one), b = chain(profile, 0, two);
    char *text;

    hand_cell(profile, a, 3, 300, 1, 100);
    hand_cell(profile, b, 2, 200, 0, 0);
    text = table(profile);
    ck_assert(strstr(text, "\n3 300 (50) 1 100 || > one\n2 200 (50) || > two\n"));
    free(text);
    mp_profile_free(profile);
}
END_TEST

static struct mp_profile *
unequal_leaks(void)
{
    static const char *const names[][2] = {{"much"}, {"some"}, {"little"}};
    static const uint64_t bytes[] = {98500, 1000, 500};
    struct mp_profile *profile = hand_new();

    for (int i = 0; i < 3; i++)
        hand_cell(profile, chain(profile, 0, names[i]), 1, bytes[i], 0, 0);
    return profile;
}

START_TEST(normal_shows_more_than_half_a_percent)
{
    struct mp_profile *profile = unequal_leaks();
    char *text = table(profile);

    ck_assert(strstr(text, "\n1 1000 (1) || > some\n"));
    ck_assert(!strstr(text, "little"));
    ck_assert(strstr(text, "\n1 chain of 0.5 % or less left out: 1 allocation, "
                           "1 block kept, 500 bytes kept\n"));
    free(text);
    mp_profile_free(profile);
}
END_TEST

START_TEST(terse_shows_more_than_one_percent)
{
    struct mp_profile *profile = unequal_leaks();
    char *text = table_with(profile, (struct mp_print_options){MP_TERSE, .chain = 5}, false);

    ck_assert(strstr(text, "much"));
    ck_assert(!strstr(text, "some"));
    ck_assert(strstr(text, "\n2 chains of 1 % or less left out: 2 allocations, "
                           "2 blocks kept, 1,500 bytes kept\n"));
    free(text);
    mp_profile_free(profile);
}
END_TEST

START_TEST(verbose_shows_all)
{
    struct mp_profile *profile = unequal_leaks();
    char *text = table_with(profile, (struct mp_print_options){MP_VERBOSE, .chain = 5}, false);

    ck_assert(strstr(text, "\n1 500 || > little\n"));
    ck_assert(!strstr(text, "left out"));
    free(text);
    mp_profile_free(profile);
}
END_TEST

/* malloc(0), never freed */
START_TEST(verbose_shows_leaks_of_no_bytes)
{
    static const char *const names[] = {"main", NULL};
    struct mp_profile *profile = hand_new();
    char *text;

    hand_cell(profile, chain(profile, 0, names), 4, 0, 1, 0);
    text = table_with(profile, (struct mp_print_options){MP_VERBOSE, .chain = 5}, false);
    ck_assert(strstr(text, "\n4 0 1 0 || > main\n"));
    free(text);
    mp_profile_free(profile);
}
END_TEST

START_TEST(where_all_leaks_are_of_no_bytes_all_are_shown)
{
    static const char *const names[] = {"main", NULL};
    struct mp_profile *profile = hand_new();
    char *text;

    hand_cell(profile, chain(profile, 0, names), 1, 0, 0, 0);
    text = table(profile);
    ck_assert_str_eq(text, TITLE "allocs bytes (%) path\n1 0 || > main\n");
    free(text);
    mp_profile_free(profile);
}
END_TEST

START_TEST(without_allocations_there_is_nothing_to_leak)
{
    struct mp_profile *profile = hand_new();
    char *text = table(profile);

    ck_assert_str_eq(text, TITLE "Nothing was allocated.\n");
    free(text);
    mp_profile_free(profile);
}
END_TEST

START_TEST(equal_leaks_are_sorted_by_path)
{
    static const char *const names[][2] = {{"c"}, {"a"}, {"b"}};
    struct mp_profile *profile = hand_new();
    char *text;

    for (int i = 0; i < 3; i++)
        hand_cell(profile, chain(profile, 0, names[i]), 1, 10, 0, 0);
    text = table(profile);
    ck_assert(strstr(text, "|| > a\n1 10 (33) || > b\n1 10 (33) || > c\n"));
    free(text);
    mp_profile_free(profile);
}
END_TEST

/* f calls malloc from two places. */
static struct mp_profile *
two_sites(void)
{
    struct mp_profile *profile = hand_new();
    uint32_t module = hand_module(profile, "/bin/x", "");
    uint32_t f = hand_function(profile, "f", module, 0x1000), a, b;

    a = hand_context(profile, 0, hand_frame(profile, f, 0x1007, "/src/f.c", 12));
    b = hand_context(profile, 0, hand_frame(profile, f, 0x1015, "/src/f.c", 14));
    hand_cell(profile, a, 1, 60, 0, 0);
    hand_cell(profile, b, 1, 40, 0, 0);
    return profile;
}

START_TEST(call_sites_of_a_function_are_one)
{
    struct mp_profile *profile = two_sites();
    char *text = table(profile);

    ck_assert(strstr(text, "\n2 100 (100) || > f\n"));
    free(text);
    mp_profile_free(profile);
}
END_TEST

START_TEST(offsets_tell_call_sites_apart)
{
    struct mp_profile *profile = two_sites();
    char *text = table_with(
        profile, (struct mp_print_options){MP_NORMAL, .offsets = true, .chain = 5}, false);

    ck_assert(strstr(text, "\n1 60 (60) || > f+7\n1 40 (40) || > f+21\n"));
    free(text);
    mp_profile_free(profile);
}
END_TEST

START_TEST(lines_tell_call_sites_apart)
{
    struct mp_profile *profile = two_sites();
    char *text = table_with(
        profile, (struct mp_print_options){MP_NORMAL, .lines = true, .chain = 5}, false);

    ck_assert(strstr(text, "\n1 60 (60) || > f (f.c:12)\n1 40 (40) || > f (f.c:14)\n"));
    free(text);
    mp_profile_free(profile);
}
END_TEST

START_TEST(inlined_functions_are_callers_too)
{
    struct mp_profile *profile = hand_new();
    uint32_t module = hand_module(profile, "/bin/x", "");
    uint32_t inner = hand_function(profile, "inner", module, 0);
    uint32_t holder = hand_function(profile, "holder", module, 0x100);
    uint32_t frame = hand_frame(profile, inner, 0x123, "a.h", 1);
    char *text;

    hand_location(profile, holder, "a.c", 2);
    hand_cell(profile, hand_context(profile, 0, frame), 1, 10, 0, 0);
    text = table_with(
        profile, (struct mp_print_options){MP_NORMAL, .offsets = true, .chain = 5}, false);
    ck_assert(strstr(text, " || > holder+35 > inner\n"));
    free(text);
    mp_profile_free(profile);
}
END_TEST

static struct mp_profile *
started_by_libc(const char *start, const char *call_main)
{
    const char *const names[] = {start, "__libc_start_main@@GLIBC_2.34", call_main, "main", "f",
                                 NULL};
    struct mp_profile *profile = hand_new();

    hand_module(profile, "/lib/libc.so.6", "no symbols");
    hand_cell(profile, chain(profile, 0, names), 1, 10, 0, 0);
    profile->functions[2].module = 0;
    return profile;
}

START_TEST(startup_frames_are_hidden)
{
    struct mp_profile *profile = started_by_libc("_start", "__libc_start_call_main");
    char *text = table(profile);

    ck_assert(strstr(text, " || > main > f\n"));
    free(text);
    mp_profile_free(profile);
}
END_TEST

START_TEST(startup_frames_of_stripped_files_are_hidden)
{
    struct mp_profile *profile = started_by_libc("x+0x1234", "libc.so.6+0x2724a");
    char *text = table(profile);

    ck_assert(strstr(text, " || > main > f\n"));
    free(text);
    mp_profile_free(profile);
}
END_TEST

START_TEST(all_frames_shows_startup_frames)
{
    struct mp_profile *profile = started_by_libc("_start", "__libc_start_call_main");
    char *text = table_with(profile, (struct mp_print_options)MP_PRINT_DEFAULT, true);

    ck_assert(strstr(text, " || > _start > __libc_start_main@@GLIBC_2.34 > "
                           "__libc_start_call_main > main > f\n"));
    free(text);
    mp_profile_free(profile);
}
END_TEST

START_TEST(constructors_begin_with_what_the_loader_calls)
{
    static const char *const names[] = {"ld-linux-x86-64.so.2+0x1b0f0", "_dl_init", "call_init",
                                        "set_up", NULL};
    struct mp_profile *profile = hand_new();
    char *text;

    hand_module(profile, "/lib64/ld-linux-x86-64.so.2", "");
    hand_cell(profile, chain(profile, 0, names), 1, 10, 0, 0);
    for (uint32_t i = 0; i < 3; i++)
        profile->functions[i].module = 0;
    text = table(profile);
    ck_assert(strstr(text, " || > _dl_init > call_init > set_up\n"));
    free(text);
    mp_profile_free(profile);
}
END_TEST

START_TEST(a_startup_frame_that_allocates_is_shown)
{
    static const char *const names[] = {"_start", "__libc_start_main", NULL};
    struct mp_profile *profile = hand_new();
    char *text;

    hand_cell(profile, chain(profile, 0, names), 1, 10, 0, 0);
    text = table(profile);
    ck_assert(strstr(text, " || > __libc_start_main\n"));
    free(text);
    mp_profile_free(profile);
}
END_TEST

/* qsort's helper without a name, called from main, is no start-up frame. */
START_TEST(inner_frames_are_never_hidden)
{
    static const char *const names[] = {"main", "libc.so.6+0x4000", "compare", NULL};
    struct mp_profile *profile = hand_new();
    char *text;

    hand_module(profile, "/lib/libc.so.6", "no symbols");
    hand_cell(profile, chain(profile, 0, names), 1, 10, 0, 0);
    profile->functions[1].module = 0;
    text = table(profile);
    ck_assert(strstr(text, " || > main > libc.so.6+0x4000 > compare\n"));
    free(text);
    mp_profile_free(profile);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("table_leaks");
    TCase *tests = tcase_create("table_leaks");

    tcase_add_test(tests, figure_2);
    tcase_add_test(tests, a_long_chain_shows_its_last_five);
    tcase_add_test(tests, five_callers_are_a_complete_chain);
    tcase_add_test(tests, chain_all_shows_every_caller);
    tcase_add_test(tests, equal_partial_chains_are_summed);
    tcase_add_test(tests, complete_and_cut_chains_are_told_apart);
    tcase_add_test(tests, what_was_freed_is_no_leak);
    tcase_add_test(tests, fields_of_frees_are_blank_where_nothing_was_freed);
    tcase_add_test(tests, normal_shows_more_than_half_a_percent);
    tcase_add_test(tests, terse_shows_more_than_one_percent);
    tcase_add_test(tests, verbose_shows_all);
    tcase_add_test(tests, verbose_shows_leaks_of_no_bytes);
    tcase_add_test(tests, where_all_leaks_are_of_no_bytes_all_are_shown);
    tcase_add_test(tests, without_allocations_there_is_nothing_to_leak);
    tcase_add_test(tests, equal_leaks_are_sorted_by_path);
    tcase_add_test(tests, call_sites_of_a_function_are_one);
    tcase_add_test(tests, offsets_tell_call_sites_apart);
    tcase_add_test(tests, lines_tell_call_sites_apart);
    tcase_add_test(tests, inlined_functions_are_callers_too);
    tcase_add_test(tests, startup_frames_are_hidden);
    tcase_add_test(tests, startup_frames_of_stripped_files_are_hidden);
    tcase_add_test(tests, all_frames_shows_startup_frames);
    tcase_add_test(tests, constructors_begin_with_what_the_loader_calls);
    tcase_add_test(tests, a_startup_frame_that_allocates_is_shown);
    tcase_add_test(tests, inner_frames_are_never_hidden);
    suite_add_tcase(suite, tests);
    return tap_run(suite);
}
