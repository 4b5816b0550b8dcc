/* Reports of programs with objects of Lisp, with and without blocks of malloc. */
#include "tests/unit/tap.h"

#include <string.h>

#include "reporter/table/report.h"
#include "tests/unit/golden.h"
#include "tests/unit/lisp_profile.h"
#include "tests/unit/profile_builder.h"

static char *
report(struct mp_profile *profile, const struct mp_report_options *options)
{
    struct mp_error error;
    char *text;
    FILE *out = golden_stream(&text);

    ck_assert_msg(mp_report_write(profile, options, out, &error), "%s", error.text);
    return golden_close(out, &text);
}

static struct mp_profile *
with_one_thread(void)
{
    struct mp_profile *profile = lisp_profile();

    profile->meta.one_thread = 77;
    return profile;
}

static struct mp_profile *
with_a_large_heap(void)
{
    struct mp_profile *profile = lisp_profile();

    profile->meta.heap_now = profile->meta.heap_before + 24240 * 1000;
    return profile;
}

/* Returns the profile of a program that uses libecl, but whose objects were not recorded. */
static struct mp_profile *
not_recorded(void)
{
    return PROFILE_OF({"main;runtime:cl_boot", MP_KIND_SMALL, 1, 16, 0, 0});
}

static struct mp_profile *
with_methods(void)
{
    struct pb *pb = pb_new();

    pb_kind(pb, MP_KIND_LISP, MP_KIND_LISP, "CONS", 'c');
    pb_objects(pb, "lisp:(METHOD DRAW (SHAPE))", MP_KIND_LISP, 10, 160);
    pb_objects(pb, "lisp:(METHOD DRAWER (SHAPE))", MP_KIND_LISP, 100, 1600);
    return pb_done(pb);
}

enum { PARTS = 3 };             /* maximum number of parts of a case */

/* What is requested beyond tables; 0 is the default. */
struct wanted {
    enum mp_frames frames;
    const char *focus;
    uint32_t sites, callers, most;
    enum mp_sort sort;
    bool chosen;
};

/* Reports, and the golden file that each must equal, or parts that it has and lacks. A report of 0 tables is the
 * head. */
static const struct {
    const char *name;
    struct mp_profile *(*profile)(void);
    unsigned tables;
    bool lisp_only;
    struct wanted wanted;
    const char *golden, *has[PARTS], *lacks[PARTS];
} cases[] = {
    {"objects by type and function", lisp_profile, MP_TABLE_LISP, true, {0}, "lisp-report.txt", {0}, {0}},
    {"objects kept by chain", lisp_profile, MP_TABLE_LEAKS, true, {0}, "lisp-kept.txt", {0}, {0}},
    {"survival by function", lisp_profile, MP_TABLE_GC, true, {0}, "lisp-survival.txt", {0}, {0}},
    {"survival by chain", lisp_profile, MP_TABLE_GC, true, {.sites = 2}, "lisp-survival-chains.txt", {0}, {0}},
    {"C and Lisp have eight columns", lisp_profile_with_c,
     MP_TABLE_DEFAULT, false, {0}, "lisp-and-c.txt", {0}, {0}},
    /* MAKE-LIST and EVAL belong to the runtime. EVENS is charged for them, or EVAL if it has no other caller. */
    {"functions are charged for the runtime", lisp_profile,
     MP_TABLE_SITES | MP_TABLE_FLAT | MP_TABLE_FUNCTION_TYPES, true, {.callers = 3}, "lisp-functions.txt",
     {0}, {0}},
    /* Tables without content are left out, unless they are requested. */
    {"tables of a Lisp program", lisp_profile, MP_TABLE_DEFAULT, false, {0}, NULL,
     {"c   f   s   o"}, {"ALLOCATION BINS", "TABLE 2"}},
    {"tables of a C program", pb_example, MP_TABLE_DEFAULT, false, {0}, NULL,
     {"s   m   l   x"}, {"BY TYPE"}},
    {"tables as requested", pb_example, MP_TABLE_DEFAULT, false, {.chosen = true}, NULL,
     {"BY TYPE\n\nNo objects of Lisp were allocated.\n"}, {0}},
    {"objects that are not recorded", not_recorded, MP_TABLE_TYPES, true, {0}, NULL,
     {"No objects of Lisp were recorded: the program has libecl.so.21.2, not recorded."},
     {"No objects of Lisp were allocated"}},
    {"frames of C", lisp_profile, MP_TABLE_DIRECT, true, {.frames = MP_FRAMES_C}, NULL,
     {" ecl_cons\n"}, {"MAKE-LIST"}},
    {"all frames are charged for themselves", lisp_profile, MP_TABLE_FLAT, true, {.frames = MP_FRAMES_ALL}, NULL,
     {" ecl_cons\n"}, {" EVENS\n"}},
    {"the largest row only", lisp_profile,
     MP_TABLE_DIRECT | MP_TABLE_TYPES, true, {.sort = MP_SORT_OBJECTS, .most = 1}, NULL,
     {"CONS\n", "5 types left out: 130 objects, 8,240 bytes, 512 bytes kept\n",
      "3 functions left out: 8,240 bytes (34.0 %), 130 calls\n"}, {"POINT"}},
    {"one function", lisp_profile, MP_TABLE_TYPES | MP_TABLE_SITES, true, {.focus = "ODDS"}, NULL,
     {"Only what was allocated through ODDS: 9,600 of 24,240 bytes (39.6 %)\n\nTABLE 1", "    600  9600       "},
     {"POINT"}},
    {"a generic function stands for its methods", with_methods, MP_TABLE_TYPES, true, {.focus = "DRAW"}, NULL,
     {"through DRAW: 160 of 1,760 bytes"}, {0}},
    {"the head counts objects", lisp_profile, 0, true, {0}, NULL,
     {"\nRuntime           ECL 21.2.1\n"
      "Objects                     1,130               24,240 bytes  (24.2 kB)\n"
      "Requested                                       23,430 bytes  (23.4 kB)\n"
      "Collected                     922               18,528 bytes  (18.5 kB)\n"
      "Objects kept                  158                2,912 bytes  (2.9 kB)  survived a collection\n"
      "Not yet examined               50                2,800 bytes  (2.8 kB)\n"
      "Collections                     6\n"
      "Heap                                            24,300 bytes  (24.3 kB)  by the collector's count\n"},
     {"Allocations"}},
    {"the head counts blocks and objects", lisp_profile_with_c, 0, false, {0}, NULL,
     {"\nAllocations                    30                7,500 bytes", "\nObjects                     1,130 "}, {0}},
    {"a large heap is compared with what is recorded", with_a_large_heap, 0, true, {0}, NULL,
     {"by the collector's count; 0.10 % recorded\n"}, {0}},
    {"objects of one thread", with_one_thread, 0, false, {0}, NULL,
     {"\nThreads                         1  objects of Lisp of one thread only (77)\n"}, {0}},
};

static struct mp_report_options
options_of(unsigned tables, bool lisp_only, const struct wanted *wanted)
{
    struct mp_report_options options = MP_REPORT_DEFAULT;

    options.tables = tables;
    options.no_head = tables != 0;
    options.chosen = wanted->chosen;
    options.view.lisp_only = lisp_only;
    options.view.frames = wanted->frames;
    options.view.focus = wanted->focus;
    options.print.sites = wanted->sites ? wanted->sites : options.print.sites;
    options.print.callers = wanted->callers ? wanted->callers : options.print.callers;
    options.print.most = wanted->most;
    if (wanted->sort) {
        options.print.sort = wanted->sort;
        options.print.verbosity = MP_VERBOSE;
    }
    return options;
}

TEST_CASES(reports, cases)
{
    const struct mp_report_options options = options_of(cases[_i].tables, cases[_i].lisp_only, &cases[_i].wanted);
    const char *text = report(cases[_i].profile(), &options);

    if (cases[_i].golden)
        golden_check(text, cases[_i].golden);
    for (unsigned i = 0; i < PARTS && cases[_i].has[i]; i++)
        must_have(text, cases[_i].has[i]);
    for (unsigned i = 0; i < PARTS && cases[_i].lacks[i]; i++)
        must_lack(text, cases[_i].lacks[i]);
}

TEST(rows_are_sorted_as_wanted)
{
    const struct wanted kept = {.sort = MP_SORT_KEPT};
    const struct mp_report_options options = options_of(MP_TABLE_DIRECT | MP_TABLE_TYPES, true, &kept);
    const char *text = report(lisp_profile(), &options), *point = strstr(text, "POINT\n");
    const char *line = strstr(text, "LINE\n");

    ck_assert(point && line && line < point);
}

TEST(a_function_that_is_not_there_is_an_error)
{
    const struct wanted odd = {.focus = "ODD"};
    const struct mp_report_options options = options_of(MP_TABLE_TYPES, true, &odd);
    struct mp_error error;

    ck_assert(!mp_report_write(lisp_profile(), &options, stdout, &error));
    ck_assert_int_eq(error.code, MP_ERR_FUNCTION);
}
/* SPDX-License-Identifier: MIT */
