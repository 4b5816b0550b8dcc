#include "tests/unit/tap.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "reporter/output/head.h"
#include "tests/unit/golden.h"
#include "tests/unit/profile_builder.h"

static char *
head_with(const struct mp_profile *profile, struct mp_print_options options)
{
    char *text;
    FILE *out = golden_stream(&text);
    struct mp_head *rows = mp_head(profile, NULL, false);

    mp_head_print(rows, &options, out);
    mp_head_free(rows);
    return golden_close(out, &text);
}

static char *
head(const struct mp_profile *profile)
{
    return head_with(profile, (struct mp_print_options)MP_PRINT_DEFAULT);
}

static void
assert_line(const struct mp_profile *profile, const char *line)
{
    char *text = head(profile);

    if (!strstr(text, line))
        ck_abort_msg("no line '%s' in:\n%s", line, text);
}

static void
assert_no(const struct mp_profile *profile, const char *word)
{
    char *text = head(profile);

    if (strstr(text, word))
        ck_abort_msg("'%s' is in:\n%s", word, text);
}

TEST(sums_and_kept_bytes)
{
    struct mp_profile *profile = pb_example();
    char *text;

    profile->meta.peak_bytes = 2040000;
    profile->meta.peak_blocks = 10000;
    profile->meta.threads = 2;
    text = head(profile);
    golden_check(text, "example-head.txt");
}

TEST(a_running_process_has_current_bytes)
{
    struct mp_profile *profile = pb_example();

    profile->meta.ending = MP_END_RUNNING;
    assert_line(profile, "\nEnded             still running\n");
    assert_line(profile,
                "\nCurrent                     5,019            1,023,876 bytes  (1.0 MB)\n");
}

TEST(the_bound_of_the_peak_is_shown)
{
    struct mp_profile *profile = pb_done(pb_new());

    profile->meta.peak_bytes = 1000;
    profile->meta.peak_slack = 2048;
    assert_line(profile, "\nPeak                            0                1,000 bytes  (1.0 kB) "
                         "+- 2,048 bytes\n");
}

TEST(endings)
{
    struct mp_profile *profile = pb_done(pb_new());
    struct mp_meta *meta = &profile->meta;

    *meta = (struct mp_meta){.program = "x", .language = "", .ending = MP_END_EXITED, .status = 3};
    assert_line(profile, "\nEnded             exit status 3\n");
    meta->status = -1;
    assert_line(profile, "\nEnded             exited, status not known\n");
    meta->ending = MP_END_SIGNAL;
    meta->status = SIGSEGV;
    assert_line(profile, "\nEnded             killed by SIGSEGV (Segmentation fault)\n");
    meta->status = 99;
    assert_line(profile, "\nEnded             killed by signal 99\n");
    meta->ending = MP_END_KILLED;
    assert_line(profile, "\nEnded             killed, or crashed\n");
    meta->ending = MP_END_EXEC;
    assert_line(profile, "\nEnded             replaced itself by another program (exec)\n");
    meta->ending = MP_END_STOPPED;
    assert_line(profile, "\nEnded             recording was stopped\n");
    meta->ending = MP_END_FULL;
    meta->stop_errno = ENOSPC;
    assert_line(profile, "\nEnded             recording stopped early: No space left on device\n"
                         "Stopped           after 0 allocations\n");
    meta->ending = MP_END_EXITED;
    assert_no(profile, "Stopped");
}

TEST(when_the_recording_stopped_early)
{
    struct mp_profile *profile = pb_example();

    setenv("TZ", "UTC", 1);
    profile->meta.ending = MP_END_FULL;
    profile->meta.stop_errno = ENOSPC;
    profile->meta.duration = 2500000000;
    assert_line(profile, "\nStopped           after 2.500 s and 10,000 allocations\n");
    profile->meta.start_realtime = UINT64_C(583200000600000000);
    assert_line(profile, "\nStopped           1988-06-25 00:00:03 +0000, after 2.500 s and 10,000 "
                         "allocations\n");
}

TEST(the_command_can_be_typed_again)
{
    static const char *arguments[] = {"./x", "a b", "it's", "-n", ""};
    struct mp_profile *profile = pb_done(pb_new());

    profile->meta.arguments = arguments;
    profile->meta.n_arguments = 5;
    profile->meta.arguments_cut = true;
    assert_line(profile, "\nCommand           ./x 'a b' 'it'\\''s' -n '' ...\n");
}

TEST(when_and_how_long)
{
    struct mp_profile *profile = pb_done(pb_new());

    setenv("TZ", "UTC", 1);
    profile->meta.start_realtime = UINT64_C(583200000000000000);
    profile->meta.duration = 1234567890;
    assert_line(profile, "\nStarted           1988-06-25 00:00:00 +0000\n");
    assert_line(profile, "\nRecorded          1.235 s\n");
}

TEST(nothing_missing_is_said)
{
    struct mp_profile *profile = pb_example();

    assert_line(profile, "\nCut chains                      0\n"
                         "Dropped records                 0\n");
    assert_no(profile, "Foreign");
    assert_no(profile, "Nested");
    assert_no(profile, "Shortened");
    assert_no(profile, "Unwinder");
    assert_no(profile, "Not profiled");
}

/* Elements of chains: see enum mp_frame_mark. */
#define CUT_DEPTH   "#1"
#define CUT_NO_RULE "#2"
#define CUT_MEMORY  "#3"

TEST(cut_chains_are_counted_by_reason)
{
    struct mp_profile *profile = PROFILE_OF({CUT_NO_RULE ";f", MP_KIND_MEDIUM, 1000, 10, 0, 0},
                                            {CUT_NO_RULE ";f", MP_KIND_LARGE, 234, 10, 0, 0},
                                            {CUT_MEMORY ";f", MP_KIND_MEDIUM, 1, 10, 0, 0},
                                            {"f", MP_KIND_MEDIUM, 65, 10, 0, 0});

    assert_line(profile, "\nCut chains                  1,234  of 1,300 allocations, in 1 chain: "
                         "no unwind information for the caller\n"
                         "Cut chains                      1  of 1,300 allocations, in 1 chain: "
                         "no memory for the whole chain\n");
}

TEST(chains_shortened_by_request_are_no_loss)
{
    struct mp_profile *profile = PROFILE_OF({CUT_DEPTH ";f", MP_KIND_MEDIUM, 7, 10, 0, 0});

    profile->meta.depth = 5;
    assert_line(profile, "\nCut chains                      0\n"
                         "Shortened chains                7  of 7 allocations, in 1 chain: last 5 "
                         "callers kept, as asked for\n");
}

TEST(what_is_missing_is_said)
{
    struct mp_profile *profile = pb_done(pb_new());
    char *text;

    profile->meta.missing[MP_MISS_DROPPED] = 17;
    profile->meta.missing[MP_MISS_FOREIGN_FREE] = 2;
    profile->meta.missing[MP_MISS_UNSEEN_FREE] = 5;
    profile->meta.nested = 3;
    profile->meta.programs_started = 4;
    profile->meta.unwinder = MP_UNWIND_LIBUNWIND;
    text = head(profile);
    golden_check(text, "missing-head.txt");
}

TEST(modules_with_problems_are_named_once)
{
    struct pb *pb = pb_new();
    struct mp_profile *profile;
    char *text;

    pb_module(pb, "/lib/libgood.so", "");
    pb_module(pb, "/lib/libgone.so", "missing");
    pb_module(pb, "/lib/libgone.so", "missing");
    pb_module(pb, "/lib/liba.so", "no symbols");
    pb_module(pb, "/lib/libb.so", "no symbols");
    profile = pb_done(pb);
    text = head(profile);
    ck_assert(strstr(text, "\nModule            /lib/libgone.so: missing\n"
                           "No symbols        liba.so, libb.so\n"));
    ck_assert(!strstr(text, "libgood"));
    ck_assert(!strstr(strstr(text, "libgone") + 1, "libgone"));
}

TEST(modules_without_symbols_keep_to_a_line)
{
    char path[] = "/lib/library-0.so", *digit = strchr(path, '0');
    struct pb *pb = pb_new();
    struct mp_profile *profile;
    char *text;

    for (; *digit < '8'; ++*digit)
        pb_module(pb, path, "no symbols");
    profile = pb_done(pb);
    text = head(profile);
    ck_assert(strstr(text, "\nNo symbols        library-0.so, library-1.so, library-2.so, "
                           "and 5 more\n"));
    text = head_with(profile, (struct mp_print_options){.verbosity = MP_VERBOSE});
    ck_assert(strstr(text, ", library-6.so, library-7.so\n"));
}

/* The row of that key, of which there must be one. */
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

/* Of six functions that threads begin with, in contexts 1 to 6; threads of one name are one row. */
TEST(stacks_are_rows_by_thread_the_deepest_first)
{
    struct mp_stack stacks[7];
    struct pb *pb = pb_new();
    struct mp_profile *profile;

    for (char name[] = "a"; *name <= 'f'; ++*name)
        pb_add(pb, name, MP_KIND_SMALL, 1, 8, 0, 0);
    pb_add(pb, "f;inner", MP_KIND_SMALL, 1, 8, 0, 0);
    profile = pb_done(pb);
    for (uint32_t i = 0; i < 7; i++)
        stacks[i] = (struct mp_stack){.context = i + 1, .threads = i + 1, .deepest = (i + 1) * 1000};
    assert_no(profile, "\nStack");
    profile->stacks = stacks;
    profile->n_stacks = 2;
    assert_line(profile, "\nStack                           2                2,000 bytes  (2.0 kB)  b, at "
                         "their deepest allocation\nStack                           1"
                         "                1,000 bytes  (1.0 kB)  a, at its deepest allocation\n");
    assert_no(profile, "other stacks");
    profile->n_stacks = 7;
    stacks[3].away = true;
    assert_line(profile, " 13                7,000 bytes  (7.0 kB)  f, at their deepest allocation\n");
    assert_line(profile, "  3                2,000 bytes  (2.0 kB)  others, at their deepest allocation\nStack  ");
    assert_line(profile, "\nStack             allocations on other stacks");
    assert_no(profile, ")  a, ");
    profile->n_stacks = 5;
    profile->meta.sample_period = 512;
    assert_line(profile, "  a, at its deepest sampled allocation\n");
    stacks[1] = stacks[0] = (struct mp_stack){.threads = 1, .away = true};
    assert_no(profile, " 0 bytes  (0 B)  others");
}
