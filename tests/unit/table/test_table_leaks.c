#include "tests/unit/tap.h"

#include <string.h>

#include "tests/unit/made_table.h"
#include "tests/unit/profile_builder.h"

#define TITLE "TABLE 2: MEMORY LEAKS\n\n"

/* Fails the test if the table of PROFILE in the legacy form of 1988 is not its title followed by TEXT. */
static void
compare(const char *what, struct mp_profile *profile, struct mp_print_options options,
        bool all_frames, const char *text)
{
    const struct mp_table_request request = {
        .profile = profile, .options = &options, .all_frames = all_frames};

    options.form_1988 = true;
    made_table_must_be(what, made_table(mp_table_leaks, request), TITLE, text);
}

/* Does the same for today's form with the default options. */
static void
must_be_today(struct mp_profile *profile, const char *text)
{
    const struct mp_print_options options = MP_PRINT_DEFAULT;
    const struct mp_table_request request = {.profile = profile, .options = &options};

    made_table_must_be("the form of today", made_table(mp_table_leaks, request), TITLE, text);
}

enum { BLOCKS = 3 };            /* maximum number of chains of a case */

#define STARTED_BY_LIBC \
    "_start;libc.so.6!__libc_start_main@@GLIBC_2.34;libc.so.6!__libc_start_call_main;main;f"
#define LOADER "ld-linux-x86-64.so.2"

/* Blocks of medium size on chains, and the table of them in the form of 1988. */
static const struct {
    const char *what;
    struct {
        const char *chain;
        uint64_t allocs, bytes, frees, freed;
    } blocks[BLOCKS];
    struct mp_print_options options;
    bool all_frames;
    const char *text;
} cases[] = {
    {"a long chain shows its last five",
     {{"main;a;b;c;d;e", 1, 10, 0, 0}}, MP_PRINT_DEFAULT, false,
     "allocs bytes   (%) path\n"
     "     1    10 (100) ... > a > b > c > d > e\n"},
    {"five callers are a complete chain",
     {{"main;a;b;c;d", 1, 10, 0, 0}}, MP_PRINT_DEFAULT, false,
     "allocs bytes   (%) path\n"
     "     1    10 (100) || > main > a > b > c > d\n"},
    {"chain all shows every caller",
     {{"main;a;b;c;d;e;f", 1, 10, 0, 0}}, {MP_NORMAL, .chain = 0}, false,
     "allocs bytes   (%) path\n"
     "     1    10 (100) || > main > a > b > c > d > e > f\n"},
    /* Both chains end in b > c. If two functions are shown, the chains are equal. */
    {"equal partial chains are summed",
     {{"x;b;c", 2, 20, 1, 10}, {"y;b;c", 3, 30, 1, 10}}, {MP_NORMAL, .chain = 2}, false,
     "allocs bytes   (%) frees bytes path\n"
     "     5    50 (100)     2    20 ... > b > c\n"},
    {"complete and cut chains are told apart",
     {{"f", 1, 10, 0, 0}, {"#2;f", 1, 30, 0, 0}}, MP_PRINT_DEFAULT, false,
     "allocs bytes  (%) path\n"
     "     1    30 (75) ... > f\n"
     "     1    10 (25) || > f\n"},
    {"what was freed is no leak",
     {{"main", 7, 70, 7, 70}}, MP_PRINT_DEFAULT, false,
     "No leaks: every block was freed.\n"},
    {"fields of frees are blank where nothing was freed",
     {{"one", 3, 300, 1, 100}, {"two", 2, 200, 0, 0}}, MP_PRINT_DEFAULT, false,
     "allocs bytes  (%) frees bytes path\n"
     "     3   300 (50)     1   100 || > one\n"
     "     2   200 (50)             || > two\n"},
    {"normal shows more than half a percent",
     {{"much", 1, 98500, 0, 0}, {"some", 1, 1000, 0, 0}, {"little", 1, 500, 0, 0}},
     MP_PRINT_DEFAULT, false,
     "allocs bytes  (%) path\n"
     "     1 98500 (98) || > much\n"
     "     1  1000  (1) || > some\n"
     "1 chain of 0.5 % or less left out: 1 allocation, 1 block kept, 500 bytes kept\n"},
    {"terse shows more than one percent",
     {{"much", 1, 98500, 0, 0}, {"some", 1, 1000, 0, 0}, {"little", 1, 500, 0, 0}},
     {MP_TERSE, .chain = 5}, false,
     "allocs bytes  (%) path\n"
     "     1 98500 (98) || > much\n"
     "2 chains of 1 % or less left out: 2 allocations, 2 blocks kept, "
     "1,500 bytes kept\n"},
    {"verbose shows all",
     {{"much", 1, 98500, 0, 0}, {"some", 1, 1000, 0, 0}, {"little", 1, 500, 0, 0}},
     {MP_VERBOSE, .chain = 5}, false,
     "allocs bytes  (%) path\n"
     "     1 98500 (98) || > much\n"
     "     1  1000  (1) || > some\n"
     "     1   500      || > little\n"},
    /* blocks of malloc(0), which are never freed */
    {"verbose shows leaks of no bytes",
     {{"main", 4, 0, 1, 0}}, {MP_VERBOSE, .chain = 5}, false,
     "allocs bytes (%) frees bytes path\n"
     "     4     0         1     0 || > main\n"},
    {"where all leaks are of no bytes all are shown",
     {{"main", 1, 0, 0, 0}}, MP_PRINT_DEFAULT, false,
     "allocs bytes (%) path\n"
     "     1     0     || > main\n"},
    {"without allocations there is nothing to leak",
     {{0}}, MP_PRINT_DEFAULT, false,
     "Nothing was allocated.\n"},
    {"equal leaks are sorted by path",
     {{"c", 1, 10, 0, 0}, {"a", 1, 10, 0, 0}, {"b", 1, 10, 0, 0}}, MP_PRINT_DEFAULT, false,
     "allocs bytes  (%) path\n"
     "     1    10 (33) || > a\n"
     "     1    10 (33) || > b\n"
     "     1    10 (33) || > c\n"},
    {"call sites of a function are one",
     {{"f+7@12", 1, 60, 0, 0}, {"f+21@14", 1, 40, 0, 0}}, MP_PRINT_DEFAULT, false,
     "allocs bytes   (%) path\n"
     "     2   100 (100) || > f\n"},
    {"offsets tell call sites apart",
     {{"f+7@12", 1, 60, 0, 0}, {"f+21@14", 1, 40, 0, 0}},
     {MP_NORMAL, .offsets = true, .chain = 5}, false,
     "allocs bytes  (%) path\n"
     "     1    60 (60) || > f+7\n"
     "     1    40 (40) || > f+21\n"},
    {"lines tell call sites apart",
     {{"f+7@12", 1, 60, 0, 0}, {"f+21@14", 1, 40, 0, 0}},
     {MP_NORMAL, .lines = true, .chain = 5}, false,
     "allocs bytes  (%) path\n"
     "     1    60 (60) || > f (f.c:12)\n"
     "     1    40 (40) || > f (f.c:14)\n"},
    {"inlined functions are callers too",
     {{"holder+35/inner", 1, 10, 0, 0}}, {MP_NORMAL, .offsets = true, .chain = 5}, false,
     "allocs bytes   (%) path\n"
     "     1    10 (100) || > holder+35 > inner\n"},
    {"startup frames are hidden",
     {{STARTED_BY_LIBC, 1, 10, 0, 0}}, MP_PRINT_DEFAULT, false,
     "allocs bytes   (%) path\n"
     "     1    10 (100) || > main > f\n"},
    {"startup frames of stripped files are hidden",
     {{"example+0x1234;libc.so.6!__libc_start_main@@GLIBC_2.34;"
       "libc.so.6!libc.so.6+0x2724a;main;f", 1, 10, 0, 0}},
     MP_PRINT_DEFAULT, false,
     "allocs bytes   (%) path\n"
     "     1    10 (100) || > main > f\n"},
    {"all frames shows startup frames",
     {{STARTED_BY_LIBC, 1, 10, 0, 0}}, MP_PRINT_DEFAULT, true,
     "allocs bytes   (%) path\n"
     "     1    10 (100) || > _start > __libc_start_main@@GLIBC_2.34 > "
     "__libc_start_call_main > main > f\n"},
    {"constructors begin with what the loader calls",
     {{LOADER "!" LOADER "+0x1b0f0;" LOADER "!_dl_init;" LOADER "!call_init;set_up", 1, 10, 0, 0}},
     MP_PRINT_DEFAULT, false,
     "allocs bytes   (%) path\n"
     "     1    10 (100) || > _dl_init > call_init > set_up\n"},
    {"a startup frame that allocates is shown",
     {{"_start;libc.so.6!__libc_start_main", 1, 10, 0, 0}}, MP_PRINT_DEFAULT, false,
     "allocs bytes   (%) path\n"
     "     1    10 (100) || > __libc_start_main\n"},
    /* qsort's helper without a name, called from main, is no start-up frame. */
    {"inner frames are never hidden",
     {{"main;libc.so.6!libc.so.6+0x4000;compare", 1, 10, 0, 0}}, MP_PRINT_DEFAULT, false,
     "allocs bytes   (%) path\n"
     "     1    10 (100) || > main > libc.so.6+0x4000 > compare\n"},
};

TEST_EACH(leaks_are_shown, cases)
{
    struct pb *pb = pb_new();

    for (size_t i = 0; i < BLOCKS && cases[_i].blocks[i].chain; i++)
        pb_add(pb, cases[_i].blocks[i].chain, MP_KIND_MEDIUM, cases[_i].blocks[i].allocs,
               cases[_i].blocks[i].bytes, cases[_i].blocks[i].frees, cases[_i].blocks[i].freed);
    compare(cases[_i].what, pb_done(pb), cases[_i].options, cases[_i].all_frames, cases[_i].text);
}

TEST(figure_2)
{
    compare("figure 2", pb_example(), (struct mp_print_options)MP_PRINT_DEFAULT, false,
            "allocs   bytes   (%) path\n"
            "  5019 1023876 (100) || > main > make_red_widget > make_widget\n");
}

TEST(what_is_kept_has_columns)
{
    must_be_today(pb_example(),
                  "allocs   bytes kept bytes kept   (%) path\n"
                  "  5019 1023876 5019    1023876 (100) || > main > make_red_widget > make_widget\n");
    must_be_today(PROFILE_OF({"main;f", MP_KIND_MEDIUM, 7, 70, 4, 40},
                             {"main;g", MP_KIND_MEDIUM, 1, 10, 0, 0}),
                  "allocs bytes kept bytes kept  (%) frees bytes path\n"
                  "     7    70    3         30 (75)     4    40 || > main > f\n"
                  "     1    10    1         10 (25)             || > main > g\n");
}
/* SPDX-License-Identifier: MIT */
