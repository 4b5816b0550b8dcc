#include "tests/unit/tap.h"

#include <string.h>

#include "reporter/output/report.h"
#include "tests/unit/golden.h"
#include "tests/unit/lisp_profile.h"
#include "tests/unit/profile_builder.h"

/* The report of PROFILE. */
static char *
report(struct mp_profile *profile, const struct mp_report_options *options)
{
    struct mp_error error;
    char *text;
    FILE *out = golden_stream(&text);

    ck_assert_msg(mp_report_write(profile, options, out, &error), "%s", error.text);
    return golden_close(out, &text);
}

static struct mp_report_options
without_head(unsigned tables, bool lisp)
{
    struct mp_report_options options = MP_REPORT_DEFAULT;

    options.tables = tables;
    options.view.lisp_only = lisp;
    options.no_head = true;
    return options;
}

static void
must_be(struct mp_profile *profile, const struct mp_report_options *options, const char *golden)
{
    char *text = report(profile, options);

    golden_check(text, golden);
}

static void
must_have(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) != NULL, "'%s' is not in\n%s", part, text);
}

TEST(objects_by_type_and_function)
{
    const struct mp_report_options options = without_head(MP_TABLE_LISP, true);

    must_be(lisp_profile(), &options, "lisp-report.txt");
}

TEST(objects_kept_by_chain)
{
    const struct mp_report_options options = without_head(MP_TABLE_LEAKS, true);

    must_be(lisp_profile(), &options, "lisp-kept.txt");
}

TEST(survival_by_function)
{
    const struct mp_report_options options = without_head(MP_TABLE_GC, true);

    must_be(lisp_profile(), &options, "lisp-survival.txt");
}

TEST(survival_by_chain)
{
    struct mp_report_options options = without_head(MP_TABLE_GC, true);

    options.print.sites = 2;
    must_be(lisp_profile(), &options, "lisp-survival-chains.txt");
}

TEST(c_and_lisp_have_eight_columns)
{
    const struct mp_report_options options = without_head(MP_TABLE_DEFAULT, false);

    must_be(lisp_profile_with_c(), &options, "lisp-and-c.txt");
}

/* The tables of what is not there are left out, unless they were asked for. */
TEST(tables_fit_what_was_recorded)
{
    struct mp_report_options options = without_head(MP_TABLE_DEFAULT, false);
    char *text = report(lisp_profile(), &options);

    ck_assert_ptr_null(strstr(text, "ALLOCATION BINS"));
    ck_assert_ptr_null(strstr(text, "TABLE 2"));
    must_have(text, "c   f   s   o");
    text = report(pb_example(), &options);
    ck_assert_ptr_null(strstr(text, "BY TYPE"));
    must_have(text, "s   m   l   x");
    options.chosen = true;
    text = report(pb_example(), &options);
    must_have(text, "BY TYPE\n\nNo objects of Lisp were allocated.\n");
}

/* A program with libecl in it whose objects are not recorded has not "no objects". */
TEST(what_is_not_recorded_is_not_nothing)
{
    struct mp_report_options options = without_head(MP_TABLE_TYPES, true);
    char *text;

    text = report(PROFILE_OF({"main;runtime:cl_boot", MP_KIND_SMALL, 1, 16, 0, 0}), &options);
    must_have(text, "No objects of Lisp were recorded: the program has libecl.so.21.2, not recorded.");
    ck_assert_ptr_null(strstr(text, "No objects of Lisp were allocated"));
}

TEST(frames_may_be_chosen)
{
    struct mp_report_options options = without_head(MP_TABLE_DIRECT, true);
    char *text;

    options.view.frames = MP_FRAMES_C;
    text = report(lisp_profile(), &options);
    must_have(text, " ecl_cons\n");
    ck_assert_ptr_null(strstr(text, "MAKE-LIST"));
}

TEST(rows_are_sorted_and_limited_as_wanted)
{
    struct mp_report_options options = without_head(MP_TABLE_DIRECT | MP_TABLE_TYPES, true);
    const char *types, *point, *line;
    char *text;

    options.print.sort = MP_SORT_KEPT;
    options.print.verbosity = MP_VERBOSE;
    text = report(lisp_profile(), &options);
    point = strstr(text, "POINT\n");
    line = strstr(text, "LINE\n");
    ck_assert(point && line && line < point);
    options.print.sort = MP_SORT_OBJECTS;
    options.print.most = 1;
    text = report(lisp_profile(), &options);
    types = strstr(text, "CONS\n");
    ck_assert(types && !strstr(text, "POINT"));
    must_have(text, "5 types left out: 130 objects, 8,240 bytes, 512 bytes kept\n");
    must_have(text, "3 functions left out: 8,240 bytes (33.9 %), 130 calls\n");
}

/* MAKE-LIST and EVAL are the runtime's own: EVENS is charged; EVAL where nobody else is there. */
TEST(functions_are_charged_for_the_runtime)
{
    struct mp_report_options options =
        without_head(MP_TABLE_SITES | MP_TABLE_FLAT | MP_TABLE_FUNCTION_TYPES, true);

    options.print.callers = 3;
    must_be(lisp_profile(), &options, "lisp-functions.txt");
}

TEST(all_frames_are_charged_for_themselves)
{
    struct mp_report_options options = without_head(MP_TABLE_FLAT, true);
    char *text;

    options.view.frames = MP_FRAMES_ALL;
    text = report(lisp_profile(), &options);
    must_have(text, " ecl_cons\n");
    ck_assert_ptr_null(strstr(text, " EVENS\n"));
}

TEST(one_function_may_be_in_focus)
{
    struct mp_report_options options = without_head(MP_TABLE_TYPES | MP_TABLE_SITES, true);
    struct mp_profile *profile = lisp_profile();
    struct mp_error error;
    char *text;

    options.view.focus = "ODDS";
    text = report(lisp_profile(), &options);
    must_have(text, "Only what was allocated through ODDS: 9,600 of 24,240 bytes (39.6 %)\n\nTABLE 1");
    must_have(text, "    600  9600       ");
    ck_assert_ptr_null(strstr(text, "POINT"));
    options.view.focus = "ODD";
    ck_assert(!mp_report_write(profile, &options, stdout, &error));
    ck_assert_int_eq(error.code, MP_ERR_FUNCTION);
}

TEST(a_generic_function_stands_for_its_methods)
{
    struct mp_report_options options = without_head(MP_TABLE_TYPES, true);
    struct pb *pb = pb_new();
    char *text;

    pb_kind(pb, MP_KIND_LISP, MP_KIND_LISP, "CONS", 'c');
    pb_objects(pb, "lisp:(METHOD DRAW (SHAPE))", MP_KIND_LISP, 10, 160);
    pb_objects(pb, "lisp:(METHOD DRAWER (SHAPE))", MP_KIND_LISP, 100, 1600);
    options.view.focus = "DRAW";
    text = report(pb_done(pb), &options);
    must_have(text, "through DRAW: 160 of 1,760 bytes");
}

TEST(the_head_counts_objects)
{
    struct mp_report_options options = MP_REPORT_DEFAULT;
    char *text;

    options.tables = 0;
    options.view.lisp_only = true;
    text = report(lisp_profile(), &options);
    must_have(text, "\nRuntime           ECL 21.2.1\n"
                    "Objects                     1,130               24,240 bytes  (24.2 kB)\n"
                    "Requested                                       23,430 bytes  (23.4 kB)\n"
                    "Collected                     922               18,528 bytes  (18.5 kB)\n"
                    "Objects kept                  158                2,912 bytes  (2.9 kB)  "
                    "survived a collection\n"
                    "Not yet examined               50                2,800 bytes  (2.8 kB)\n"
                    "Collections                     6\n"
                    "Heap                                            24,300 bytes  (24.3 kB)  "
                    "by the collector's count\n");
    ck_assert_ptr_null(strstr(text, "Allocations"));
    options.view.lisp_only = false;
    text = report(lisp_profile_with_c(), &options);
    must_have(text, "\nAllocations                    30                7,500 bytes");
    must_have(text, "\nObjects                     1,130 ");
}

TEST(a_large_heap_is_compared_with_what_is_recorded)
{
    struct mp_report_options options = MP_REPORT_DEFAULT;
    struct mp_profile *profile = lisp_profile();
    char *text;

    options.tables = 0;
    options.view.lisp_only = true;
    profile->meta.heap_now = profile->meta.heap_before + 24240 * 1000;
    text = report(profile, &options);
    must_have(text, "by the collector's count; 0.10 % recorded\n");
}

TEST(one_thread_is_said)
{
    struct mp_report_options options = MP_REPORT_DEFAULT;
    struct mp_profile *profile = lisp_profile();
    char *text;

    options.tables = 0;
    profile->meta.one_thread = 77;
    text = report(profile, &options);
    must_have(text, "\nThreads                         1  objects of Lisp of one thread only (77)\n");
}
