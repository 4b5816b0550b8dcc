#include "tests/unit/tap.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "reporter/table/chart.h"
#include "reporter/table/head.h"
#include "tests/unit/golden.h"
#include "tests/unit/profile_builder.h"

static const char *
head_with(const struct mp_profile *profile, enum mp_verbosity verbosity)
{
    const struct mp_print_options options = {.verbosity = verbosity};
    char *text;
    FILE *out = golden_stream(&text);
    struct mp_head *rows = mp_head(profile, NULL, false);

    mp_head_print(rows, &options, out);
    mp_head_free(rows);
    return golden_close(out, &text);
}

static const char *
head(const struct mp_profile *profile)
{
    return head_with(profile, MP_NORMAL);
}

/* Elements of chains: see enum mp_frame_mark. */
#define CUT_DEPTH   "#1"
#define CUT_NO_RULE "#2"
#define CUT_MEMORY  "#3"
#define EXAMPLE     {"main;make_widget", MP_KIND_MEDIUM, 10000, 2040000, 4981, 1016124}

static const char *const arguments[] = {"./x", "a b", "it's", "-n", ""};

enum { ROWS = 5, LACKING = 8 };

/* Profiles with a text that the head must contain and texts that it must not contain. Times are in UTC. */
static const struct {
    const char *name;
    struct pb_row rows[ROWS];
    struct mp_meta meta;
    const char *has, *lacks[LACKING];
} cases[] = {
    {"exit status", {{0}}, {.ending = MP_END_EXITED, .status = 3}, "\nEnded             exit status 3\n", {"Stopped"}},
    {"unknown exit status", {{0}}, {.ending = MP_END_EXITED, .status = -1},
     "\nEnded             exited, status not known\n", {0}},
    {"a signal", {{0}}, {.ending = MP_END_SIGNAL, .status = SIGSEGV},
     "\nEnded             killed by SIGSEGV (Segmentation fault)\n", {0}},
    {"a signal without a name", {{0}}, {.ending = MP_END_SIGNAL, .status = 99},
     "\nEnded             killed by signal 99\n", {0}},
    {"killed", {{0}}, {.ending = MP_END_KILLED}, "\nEnded             killed, or crashed\n", {0}},
    {"exec", {{0}}, {.ending = MP_END_EXEC}, "\nEnded             replaced itself by another program (exec)\n", {0}},
    {"stopped", {{0}}, {.ending = MP_END_STOPPED}, "\nEnded             recording was stopped\n", {0}},
    {"a full disk", {{0}}, {.ending = MP_END_FULL, .stop_errno = ENOSPC},
     "\nEnded             recording stopped early: No space left on device\n"
     "Stopped           after 0 allocations\n", {0}},
    {"a full disk after a while", {EXAMPLE}, {.ending = MP_END_FULL, .stop_errno = ENOSPC, .duration = 2500000000},
     "\nStopped           after 2.500 s and 10,000 allocations\n", {0}},
    {"a full disk at a time", {EXAMPLE},
     {.ending = MP_END_FULL, .stop_errno = ENOSPC, .duration = 2500000000,
      .start_realtime = UINT64_C(583200000600000000)},
     "\nStopped           1988-06-25 00:00:03 +0000, after 2.500 s and 10,000 allocations\n", {0}},
    {"a running process", {EXAMPLE}, {.ending = MP_END_RUNNING}, "\nEnded             still running\n", {0}},
    {"a running process has current bytes", {EXAMPLE}, {.ending = MP_END_RUNNING},
     "\nCurrent                     5,019            1,023,876 bytes  (1.0 MB)\n", {0}},
    {"the bound of the peak", {{0}}, {.peak_bytes = 1000, .peak_slack = 2048},
     "\nPeak                            0                1,000 bytes  (1.0 kB) +- 2,048 bytes\n", {0}},
    {"the command can be typed again", {{0}},
     {.arguments = (const char **)arguments, .n_arguments = 5, .arguments_cut = true},
     "\nCommand           ./x 'a b' 'it'\\''s' -n '' ...\n", {0}},
    {"when it began", {{0}}, {.start_realtime = UINT64_C(583200000000000000)},
     "\nStarted           1988-06-25 00:00:00 +0000\n", {0}},
    {"how long it took", {{0}}, {.duration = 1234567890}, "\nRecorded          1.235 s\n", {0}},
    {"nothing is missing", {EXAMPLE}, {.threads = 1},
     "\nTemporary ", {"Threads", "Cut", "Dropped", "Foreign", "Nested", "Shortened", "Unwinder", "Not profiled"}},
    {"cut chains are counted by reason",
     {{CUT_NO_RULE ";f", MP_KIND_MEDIUM, 1000, 10, 0, 0}, {CUT_NO_RULE ";f", MP_KIND_LARGE, 234, 10, 0, 0},
      {CUT_MEMORY ";f", MP_KIND_MEDIUM, 1, 10, 0, 0}, {"f", MP_KIND_MEDIUM, 65, 10, 0, 0}}, {.status = 0},
     "\nCut chains                  1,234  of 1,300 allocations, in 1 chain: no unwind information for the caller; "
     "compiling with -fasynchronous-unwind-tables helps, for generated code --unwinder=fp\n"
     "Cut chains                      1  of 1,300 allocations, in 1 chain: no memory for the whole chain\n", {0}},
    {"chains shortened by request are no loss", {{CUT_DEPTH ";f", MP_KIND_MEDIUM, 7, 10, 0, 0}}, {.depth = 5},
     "\nShortened chains                7  of 7 allocations, in 1 chain: last 5 callers kept, as asked for\n", {"Cut"}},
};

TEST_CASES(heads, cases)
{
    struct mp_profile *profile = pb_done(pb_of(cases[_i].rows));
    const char *text;

    setenv("TZ", "UTC", 1);
    profile->meta = cases[_i].meta;
    profile->meta.program = "x";
    profile->meta.language = profile->meta.labels = "";
    text = head(profile);
    must_have(text, cases[_i].has);
    for (unsigned i = 0; i < LACKING && cases[_i].lacks[i]; i++)
        must_lack(text, cases[_i].lacks[i]);
}

TEST(sums_and_kept_bytes)
{
    struct mp_profile *profile = pb_example();

    profile->meta.peak_bytes = 2040000;
    profile->meta.peak_blocks = 10000;
    profile->meta.threads = 2;
    golden_check(head(profile), "example-head.txt");
}

TEST(what_is_missing_is_said)
{
    struct mp_profile *profile = pb_done(pb_new());

    profile->meta.missing[MP_MISS_DROPPED] = 17;
    profile->meta.missing[MP_MISS_FOREIGN_FREE] = 2;
    profile->meta.missing[MP_MISS_UNSEEN_FREE] = 5;
    profile->meta.nested = 3;
    profile->meta.programs_started = 4;
    profile->meta.unwinder = MP_UNWIND_LIBUNWIND;
    golden_check(head(profile), "missing-head.txt");
}

TEST(modules_with_problems_are_named_once)
{
    struct pb *pb = pb_new();
    const char *text;

    pb_module(pb, "/lib/libgood.so", "");
    pb_module(pb, "/lib/libgone.so", "missing");
    pb_module(pb, "/lib/libgone.so", "missing");
    pb_module(pb, "/lib/liba.so", "no symbols");
    pb_module(pb, "/lib/libb.so", "no symbols");
    text = head(pb_done(pb));
    must_have(text, "\nModule            /lib/libgone.so: missing\n"
                    "No symbols        liba.so, libb.so\n"
                    "For symbols       see --symbols\n");
    must_lack(text, "libgood");
    must_lack(strstr(text, "libgone") + 1, "libgone");
}

TEST(modules_without_symbols_keep_to_a_line)
{
    char path[] = "/lib/library-0.so", *digit = strchr(path, '0');
    struct pb *pb = pb_new();
    struct mp_profile *profile;

    for (; *digit < '8'; ++*digit)
        pb_module(pb, path, "no symbols");
    profile = pb_done(pb);
    must_have(head(profile), "\nNo symbols        library-0.so, library-1.so, library-2.so, and 5 more\n");
    must_have(head_with(profile, MP_VERBOSE), ", library-6.so, library-7.so\n");
}

/* Returns the only row with KEY. */
static const struct mp_head_row *
row_of(const struct mp_head *rows, const char *key)
{
    const struct mp_head_row *found = NULL;

    for (uint32_t i = 0; i < rows->n_rows; i++) {
        const struct mp_head_row *row = &rows->rows[i];

        ck_assert_uint_eq(strspn(row->key, "abcdefghijklmnopqrstuvwxyz_"), strlen(row->key));
        if (strcmp(row->key, key) == 0) {
            ck_assert_ptr_null(found);
            found = row;
        }
    }
    ck_assert_msg(found != NULL, "no row %s", key);
    return found;
}

TEST(rows_are_figures_before_they_are_text)
{
    struct pb *pb = pb_new();
    struct mp_profile *profile;
    const struct mp_head_row *row;
    struct mp_head *rows;

    pb_add(pb, "main", MP_KIND_MEDIUM, 10000, 10000 * 204, 4981, 4981 * 204);
    pb_module(pb, "/lib/liba.so", "no symbols");
    pb_module(pb, "/lib/libb.so", "no symbols");
    pb_module(pb, "/lib/libb.so", "no symbols");
    profile = pb_done(pb);
    profile->meta.missing[MP_MISS_FOREIGN_FREE] = 7;
    rows = mp_head(profile, NULL, false);
    row = row_of(rows, "kept");
    ck_assert_int_eq(row->has, MP_HEAD_BOTH);
    ck_assert_uint_eq(row->blocks, 5019);
    ck_assert_uint_eq(row->bytes, 5019 * 204);
    row = row_of(rows, "foreign_frees");
    ck_assert_int_eq(row->has, MP_HEAD_BLOCKS);
    ck_assert_uint_eq(row->blocks, 7);
    row = row_of(rows, "no_symbols");
    ck_assert_int_eq(row->has, MP_HEAD_NAMES);
    ck_assert_uint_eq(row->n_names, 2);
    ck_assert_str_eq(row->names[1], "libb.so");
    ck_assert_str_eq(row_of(rows, "program")->text, "/home/zorn/example");
    mp_head_free(rows);
}

/* The chart of two points rises linearly from one to the other. */
TEST(the_chart_follows_the_line_between_points)
{
    struct mp_profile *profile = PROFILE_OF(EXAMPLE);
    struct mp_point points[] = {{.time = 0}, {.time = 1000000000, .live = 3000}};
    char *text;
    FILE *out = golden_stream(&text);

    pb_timeline(profile, NULL, 0, NULL, 0);
    profile->timeline->points = points;
    profile->timeline->n_points = 2;
    mp_chart_print(profile, false, 29 + 18, false, out);
    ck_assert_str_eq(golden_close(out, &text),
                     "Over time            3.0 kB |             ...##\n"
                     "                            |       ...########\n"
                     "                          0 |....##############\n"
                     "                             0 s        1.000 s\n");
}
/* SPDX-License-Identifier: MIT */
