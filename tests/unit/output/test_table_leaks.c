#include "tests/unit/tap.h"

#include <string.h>

#include "tests/unit/made_table.h"
#include "tests/unit/profile_builder.h"

#define TITLE "TABLE 2: MEMORY LEAKS\n\n"

/* The table of PROFILE, which is freed, is TITLE and TEXT; in the form of 1988, unless the test is of the
 * other. */
static void
compare(struct mp_profile *profile, struct mp_print_options options, bool all_frames,
        const char *text)
{
    const struct mp_table_request request = {
        .profile = profile, .options = &options, .all_frames = all_frames};

    options.form_1988 = true;
    made_table_must_be(made_table(mp_table_leaks, request), TITLE, text);
}

/* The same in the form of today, with the usual options. */
static void
must_be_today(struct mp_profile *profile, const char *text)
{
    const struct mp_print_options options = MP_PRINT_DEFAULT;
    const struct mp_table_request request = {.profile = profile, .options = &options};

    made_table_must_be(made_table(mp_table_leaks, request), TITLE, text);
}

static void
must_print(struct mp_profile *profile, struct mp_print_options options, const char *text)
{
    compare(profile, options, false, text);
}

/* With the options that a report has if it is not told. */
static void
must_be(struct mp_profile *profile, const char *text)
{
    compare(profile, (struct mp_print_options)MP_PRINT_DEFAULT, false, text);
}

static void
add(struct pb *pb, const char *chain, uint64_t bytes)
{
    pb_add(pb, chain, MP_KIND_MEDIUM, 1, bytes, 0, 0);
}

static struct mp_profile *
leak_of_ten(const char *chain)
{
    struct pb *pb = pb_new();

    add(pb, chain, 10);
    return pb_done(pb);
}

TEST(figure_2)
{
    must_be(pb_example(),
            "allocs   bytes   (%) path\n"
            "  5019 1023876 (100) || > main > make_red_widget > make_widget\n");
}

TEST(what_is_kept_has_columns)
{
    struct pb *pb = pb_new();

    must_be_today(pb_example(),
                  "allocs   bytes kept bytes kept   (%) path\n"
                  "  5019 1023876 5019    1023876 (100) || > main > make_red_widget > make_widget\n");
    pb_add(pb, "main;f", MP_KIND_MEDIUM, 7, 70, 4, 40);
    pb_add(pb, "main;g", MP_KIND_MEDIUM, 1, 10, 0, 0);
    must_be_today(pb_done(pb),
                  "allocs bytes kept bytes kept  (%) frees bytes path\n"
                  "     7    70    3         30 (75)     4    40 || > main > f\n"
                  "     1    10    1         10 (25)             || > main > g\n");
}

TEST(a_long_chain_shows_its_last_five)
{
    must_be(leak_of_ten("main;a;b;c;d;e"),
            "allocs bytes   (%) path\n"
            "     1    10 (100) ... > a > b > c > d > e\n");
}

TEST(five_callers_are_a_complete_chain)
{
    must_be(leak_of_ten("main;a;b;c;d"),
            "allocs bytes   (%) path\n"
            "     1    10 (100) || > main > a > b > c > d\n");
}

TEST(chain_all_shows_every_caller)
{
    must_print(leak_of_ten("main;a;b;c;d;e;f"), (struct mp_print_options){MP_NORMAL, .chain = 0},
               "allocs bytes   (%) path\n"
               "     1    10 (100) || > main > a > b > c > d > e > f\n");
}

/* Both chains end in b > c; with two callers shown they are one. */
TEST(equal_partial_chains_are_summed)
{
    must_print(PROFILE_OF(
        {"x;b;c", MP_KIND_MEDIUM, 2, 20, 1, 10},
        {"y;b;c", MP_KIND_MEDIUM, 3, 30, 1, 10}), (struct mp_print_options){MP_NORMAL, .chain = 2},
               "allocs bytes   (%) frees bytes path\n"
               "     5    50 (100)     2    20 ... > b > c\n");
}

TEST(complete_and_cut_chains_are_told_apart)
{
    struct pb *pb = pb_new();

    add(pb, "f", 10);
    add(pb, "#2;f", 30);
    must_be(pb_done(pb),
            "allocs bytes  (%) path\n"
            "     1    30 (75) ... > f\n"
            "     1    10 (25) || > f\n");
}

TEST(what_was_freed_is_no_leak)
{
    must_be(PROFILE_OF(
        {"main", MP_KIND_MEDIUM, 7, 70, 7, 70}), "No leaks: every block was freed.\n");
}

TEST(fields_of_frees_are_blank_where_nothing_was_freed)
{
    must_be(PROFILE_OF({"one", MP_KIND_MEDIUM, 3, 300, 1, 100},
                       {"two", MP_KIND_MEDIUM, 2, 200, 0, 0}),
            "allocs bytes  (%) frees bytes path\n"
            "     3   300 (50)     1   100 || > one\n"
            "     2   200 (50)             || > two\n");
}

static struct mp_profile *
unequal_leaks(void)
{
    struct pb *pb = pb_new();

    add(pb, "much", 98500);
    add(pb, "some", 1000);
    add(pb, "little", 500);
    return pb_done(pb);
}

TEST(normal_shows_more_than_half_a_percent)
{
    must_be(unequal_leaks(),
            "allocs bytes  (%) path\n"
            "     1 98500 (98) || > much\n"
            "     1  1000  (1) || > some\n"
            "1 chain of 0.5 % or less left out: 1 allocation, 1 block kept, 500 bytes kept\n");
}

TEST(terse_shows_more_than_one_percent)
{
    must_print(unequal_leaks(), (struct mp_print_options){MP_TERSE, .chain = 5},
               "allocs bytes  (%) path\n"
               "     1 98500 (98) || > much\n"
               "2 chains of 1 % or less left out: 2 allocations, 2 blocks kept, "
               "1,500 bytes kept\n");
}

TEST(verbose_shows_all)
{
    must_print(unequal_leaks(), (struct mp_print_options){MP_VERBOSE, .chain = 5},
               "allocs bytes  (%) path\n"
               "     1 98500 (98) || > much\n"
               "     1  1000  (1) || > some\n"
               "     1   500      || > little\n");
}

/* malloc(0), never freed */
TEST(verbose_shows_leaks_of_no_bytes)
{
    must_print(PROFILE_OF(
        {"main", MP_KIND_MEDIUM, 4, 0, 1, 0}), (struct mp_print_options){MP_VERBOSE, .chain = 5},
               "allocs bytes (%) frees bytes path\n"
               "     4     0         1     0 || > main\n");
}

TEST(where_all_leaks_are_of_no_bytes_all_are_shown)
{
    struct pb *pb = pb_new();

    add(pb, "main", 0);
    must_be(pb_done(pb),
            "allocs bytes (%) path\n"
            "     1     0     || > main\n");
}

TEST(without_allocations_there_is_nothing_to_leak)
{
    must_be(pb_done(pb_new()), "Nothing was allocated.\n");
}

TEST(equal_leaks_are_sorted_by_path)
{
    struct pb *pb = pb_new();

    add(pb, "c", 10);
    add(pb, "a", 10);
    add(pb, "b", 10);
    must_be(pb_done(pb),
            "allocs bytes  (%) path\n"
            "     1    10 (33) || > a\n"
            "     1    10 (33) || > b\n"
            "     1    10 (33) || > c\n");
}

/* f calls malloc from two places. */
static struct mp_profile *
two_sites(void)
{
    struct pb *pb = pb_new();

    add(pb, "f+7@12", 60);
    add(pb, "f+21@14", 40);
    return pb_done(pb);
}

TEST(call_sites_of_a_function_are_one)
{
    must_be(two_sites(),
            "allocs bytes   (%) path\n"
            "     2   100 (100) || > f\n");
}

TEST(offsets_tell_call_sites_apart)
{
    must_print(two_sites(), (struct mp_print_options){MP_NORMAL, .offsets = true, .chain = 5},
               "allocs bytes  (%) path\n"
               "     1    60 (60) || > f+7\n"
               "     1    40 (40) || > f+21\n");
}

TEST(lines_tell_call_sites_apart)
{
    must_print(two_sites(), (struct mp_print_options){MP_NORMAL, .lines = true, .chain = 5},
               "allocs bytes  (%) path\n"
               "     1    60 (60) || > f (f.c:12)\n"
               "     1    40 (40) || > f (f.c:14)\n");
}

TEST(inlined_functions_are_callers_too)
{
    must_print(leak_of_ten("holder+35/inner"),
               (struct mp_print_options){MP_NORMAL, .offsets = true, .chain = 5},
               "allocs bytes   (%) path\n"
               "     1    10 (100) || > holder+35 > inner\n");
}

#define STARTED_BY_LIBC \
    "_start;libc.so.6!__libc_start_main@@GLIBC_2.34;libc.so.6!__libc_start_call_main;main;f"

TEST(startup_frames_are_hidden)
{
    must_be(leak_of_ten(STARTED_BY_LIBC),
            "allocs bytes   (%) path\n"
            "     1    10 (100) || > main > f\n");
}

TEST(startup_frames_of_stripped_files_are_hidden)
{
    must_be(leak_of_ten("example+0x1234;libc.so.6!__libc_start_main@@GLIBC_2.34;"
                        "libc.so.6!libc.so.6+0x2724a;main;f"),
            "allocs bytes   (%) path\n"
            "     1    10 (100) || > main > f\n");
}

TEST(all_frames_shows_startup_frames)
{
    compare(leak_of_ten(STARTED_BY_LIBC), (struct mp_print_options)MP_PRINT_DEFAULT, true,
            "allocs bytes   (%) path\n"
            "     1    10 (100) || > _start > __libc_start_main@@GLIBC_2.34 > "
            "__libc_start_call_main > main > f\n");
}

#define LOADER "ld-linux-x86-64.so.2"

TEST(constructors_begin_with_what_the_loader_calls)
{
    must_be(leak_of_ten(LOADER "!" LOADER "+0x1b0f0;" LOADER "!_dl_init;" LOADER "!call_init;"
                        "set_up"),
            "allocs bytes   (%) path\n"
            "     1    10 (100) || > _dl_init > call_init > set_up\n");
}

TEST(a_startup_frame_that_allocates_is_shown)
{
    must_be(leak_of_ten("_start;libc.so.6!__libc_start_main"),
            "allocs bytes   (%) path\n"
            "     1    10 (100) || > __libc_start_main\n");
}

/* qsort's helper without a name, called from main, is no start-up frame. */
TEST(inner_frames_are_never_hidden)
{
    must_be(leak_of_ten("main;libc.so.6!libc.so.6+0x4000;compare"),
            "allocs bytes   (%) path\n"
            "     1    10 (100) || > main > libc.so.6+0x4000 > compare\n");
}
