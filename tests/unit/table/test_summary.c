#include "tests/unit/tap.h"

#include <signal.h>
#include <string.h>

#include "reporter/base/text.h"
#include "reporter/profile/ending.h"
#include "reporter/table/summary.h"
#include "tests/unit/golden.h"
#include "tests/unit/profile_builder.h"

static char *
summary(const struct mp_profile *profile, struct mp_summary what)
{
    char *text, ending[MP_ENDING_SIZE];
    FILE *out = golden_stream(&text);

    what.ended = mp_ending_text(&profile->meta, ending);
    what.duration = profile->meta.duration;
    mp_summary_print(profile, &what, out);
    return golden_close(out, &text);
}

static const char *
last_line(const char *text)
{
    const char *line = text;

    for (const char *c = text; *c; c++)
        if (c[0] == '\n' && c[1] != '\0')
            line = c + 1;
    return line;
}

TEST(the_last_line_of_the_summary_is_a_command)
{
    static const char *const files[][2] = {
        {"mprof.data", "mprof report\n"}, {"x.data", "mprof report x.data\n"},
        {"my data", "mprof report 'my data'\n"}, {"-x", "mprof report -- -x\n"}};
    struct mp_profile *profile = pb_example();

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *text = summary(profile, (struct mp_summary){.file = files[i][0], .size = 7});

        ck_assert_str_eq(last_line(text), files[i][1]);
    }
}

/* Elements of chains: see enum mp_frame_mark. */
#define CUT_DEPTH   "#1"
#define CUT_NO_RULE "#2"

TEST(the_summary_tells_of_chains_that_are_not_whole)
{
    char *text;
    struct mp_profile *profile = PROFILE_OF({CUT_NO_RULE ";f", MP_KIND_MEDIUM, 1, 1, 0, 0},
                                            {CUT_DEPTH ";f", MP_KIND_MEDIUM, 7, 0, 0, 0});

    profile->meta.depth = 1;
    profile->meta.ending = MP_END_SIGNAL;
    profile->meta.status = SIGSEGV;
    text = summary(profile, (struct mp_summary){.file = "mprof.data"});
    ck_assert_str_eq(
        text, "mprof: example: killed by SIGSEGV (Segmentation fault), after 0.000 s\n"
              "mprof:   allocations  8  1 byte  (1 B)\n"
              "mprof:   peak         0  0 bytes  (0 B)\n"
              "mprof:   kept         8  1 byte  (1 B)  not freed until the end\n"
              "mprof:   temporary    0\n"
              "mprof:   cut chains   1  of 8 allocations: see the report's head\n"
              "mprof:   shortened    7  of 8 allocations: last 1 caller kept, as asked for\n"
              "mprof: 0 B of data in mprof.data; to see it:\n"
              "mprof report\n");
}

TEST(every_line_of_the_summary_says_who_speaks)
{
    struct mp_other others[] = {{"sh", "x.data.7", 900, 1, 10, 1007, false, false, false, NULL},
                                {"jq", "x.data.8", 4700, 8103, 1100000, 1008, true, false, false, "-c ."}};
    struct mp_profile *profile = pb_example();
    char *text;

    profile->meta.programs_started = 1;
    text = summary(profile, (struct mp_summary){.file = "x.data", .size = 1200, .others = others,
                                                .n_others = 2});
    ck_assert_str_eq(
        text, "mprof: example: exit status 0, after 0.000 s\n"
              "mprof:   allocations  10,000  2,040,000 bytes  (2.0 MB)\n"
              "mprof:   peak              0          0 bytes  (0 B)\n"
              "mprof:   kept          5,019  1,023,876 bytes  (1.0 MB)  not freed until the end\n"
              "mprof:   temporary         0\n"
              "mprof: 1 program was started and not profiled; mprof run -f profiles it\n"
              "mprof: 2 more processes profiled:\n"
              "mprof:   jq  x.data.8  4.7 kB, 8,103 allocations (1.1 MB), still running  -c .\n"
              "mprof:   sh  x.data.7   900 B,     1 allocation (10 B)\n"
              "mprof:   all of them: 18,104 allocations, 3,140,010 bytes (3.1 MB)\n"
              "mprof: 1.2 kB of data in x.data; to see it:\n"
              "mprof report x.data\n");
}

TEST(recordings_in_one_file_are_named_by_their_processes)
{
    struct mp_other others[] = {
        {.program = "jq", .file = "x.data.children", .part = "jq[8]", .pid = 8, .size = 4700, .allocs = 8103,
         .bytes = 1100000},
        {.program = "sh", .file = "x.data.7", .pid = 7, .size = 114688, .allocs = 1, .bytes = 100000, .running = true},
        {.program = "ls", .file = "x.data.children", .part = "ls[9]", .pid = 9, .size = 900, .allocs = 2,
         .bytes = 50000}};
    struct mp_profile *profile = pb_example();
    char *text = summary(profile, (struct mp_summary){.file = "x.data", .others = others, .n_others = 3,
                                                      .most = &(struct mp_other){.program = "jq", .part = "jq[8]",
                                                                                 .file = "x.data.children",
                                                                                 .size = 4700, .bytes = 1100000}});

    ck_assert(strstr(text, "mprof: 3 more processes profiled, in x.data.children:\n"
                           "mprof:   jq[8]              4.7 kB, 8,103 allocations (1.1 MB)\n"
                           "mprof:   sh     x.data.7  114.7 kB,     1 allocation (100.0 kB), still running\n"
                           "mprof:   ls[9]               900 B,     2 allocations (50.0 kB)\n"));
    ck_assert(strstr(text, "mprof: 4.7 kB of data in x.data.children; to see it:\n"
                           "mprof report --process='jq[8]' x.data.children\n"));
}

TEST(a_program_that_replaced_itself_is_named)
{
    static const struct {
        const char *name, *became;
        uint64_t started;
        bool follow;
        const char *line;
    } cases[] = {
        {"/bin/sh", "jq", 1, false,
         "\nmprof: sh replaced itself by jq, which was not profiled\n"},
        {"sh", "sh", 1, false, "\nmprof: sh replaced itself by another program, which"},
        {"./wrapper", "", 1, false, "\nmprof: wrapper replaced itself by another program, which"},
        {NULL, NULL, 1, false, "\nmprof: widgets replaced itself by another program, which"},
        {"sh", "jq", 3, false,
         "\nmprof: 2 more programs were started and not profiled; mprof run -f profiles them\n"},
        {"sh", "jq", 0, true, "\nmprof: 0 B of data"},
    };
    struct mp_profile *profile = pb_example();

    profile->meta.program = "/usr/bin/widgets";
    profile->meta.ending = MP_END_EXEC;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text;

        profile->meta.programs_started = cases[i].started;
        text = summary(profile, (struct mp_summary){.file = "mprof.data", .name = cases[i].name,
                                                    .became = cases[i].became,
                                                    .follow = cases[i].follow});
        must_have(text, cases[i].line);
        ck_assert(!strstr(text, "not profiled") == cases[i].follow);
    }
}

TEST(other_files_are_ten_and_how_many_more)
{
    struct mp_other others[12];
    struct mp_profile *profile = pb_example();
    char *text;

    for (uint32_t i = 0; i < 12; i++)
        others[i] = (struct mp_other){.program = "cc1", .file = i == 11 ? "last" : "x",
                                         .bytes = 100000 + 1000 * i, .pid = 1000 + i};
    text = summary(profile, (struct mp_summary){.file = "mprof.data", .others = others,
                                                .n_others = 12});
    must_have(text, "profiled:\nmprof:   cc1  last  0 B, 0 allocations (111.0 kB)\n");
    must_have(text, " allocations (102.0 kB)\nmprof:   and 2 more: 0 allocations (201.0 kB)\n");
    text = summary(profile, (struct mp_summary){.file = "mprof.data", .others = others,
                                                .n_others = 11});
    must_lack(text, " more\n");       /* "1 more" would take as many lines as the hidden line */
    others[0].pid = profile->meta.pid;
    others[0].program = mp_text_basename(profile->meta.program);
    text = summary(profile, (struct mp_summary){.file = "mprof.data", .others = others,
                                                .n_others = 1});
    must_have(text, "mprof: 1 more recording:\n");
}

TEST(small_recordings_are_one_line_and_the_largest_is_recommended)
{
    struct mp_other others[] = {{.program = "office", .file = "x.7", .size = 4000, .bytes = 500000000, .pid = 1001},
                                {.program = "sed", .file = "x.8", .allocs = 3, .bytes = 4000, .pid = 1002},
                                {.program = "uname", .file = "x.9", .allocs = 4, .bytes = 5000, .pid = 1003}};
    const struct mp_other most = others[0];
    char *text = summary(pb_example(), (struct mp_summary){.file = "x", .others = others, .n_others = 3,
                                                           .most = &most, .finding = "It keeps everything."});

    must_have(text, "mprof:   office  x.7  4.0 kB, 0 allocations (500.0 MB)\n"
                    "mprof:   and 2 more: 7 allocations (9.0 kB)\n"
                    "mprof:   all of them: 10,007 allocations, 502,049,000 bytes (502.0 MB)\n"
                    "mprof: office has the most, 500.0 MB: It keeps everything.\n"
                    "mprof: 4.0 kB of data in x.7; to see it:\n"
                    "mprof report x.7\n");
}

TEST(programs_before_exec_are_named)
{
    char *text = summary(pb_example(), (struct mp_summary){.file = "x", .before = "env, nice", .before_allocs = 402,
                                                           .before_bytes = 38400, .before_started = 2});

    must_have(text, "mprof: env, nice (402 allocations, 38.4 kB) became example and is left out; mprof run -f keeps "
                    "everything\nmprof: 2 programs were started and not profiled; mprof run -f profiles them\n");
}

TEST(the_summary_tells_what_other_recordings_lack)
{
    struct mp_other others[12];
    struct mp_profile *profile = pb_example();
    char *text;

    for (uint32_t i = 0; i < 12; i++)
        others[i] = (struct mp_other){.program = "cc1", .file = "x", .bytes = 100 - i, .dropped = i, .pid = 1000 + i,
                                      .why = i > 0 ? "killed, or crashed" : NULL};
    profile->meta.missing[MP_MISS_DROPPED] = 7;
    text = summary(profile, (struct mp_summary){.file = "mprof.data", .others = others, .n_others = 12});
    must_have(text, "allocations (99 B)\nmprof:     killed, or crashed\n");
    must_have(text, "mprof:   and 2 more: 0 allocations (189 B), of which 1 is incomplete\n");
    must_have(text, "(2.0 MB); 73 allocations were not recorded\n");
}

TEST(the_summary_is_silent_about_what_did_not_happen)
{
    struct mp_profile *profile = pb_example();
    char *text = summary(profile, (struct mp_summary){.file = "mprof.data"});

    ck_assert_str_eq(text, "mprof: example: exit status 0, after 0.000 s\n"
                           "mprof:   allocations  10,000  2,040,000 bytes  (2.0 MB)\n"
                           "mprof:   peak              0          0 bytes  (0 B)\n"
                           "mprof:   kept          5,019  1,023,876 bytes  (1.0 MB)  not freed until the end\n"
                           "mprof:   temporary         0\n"
                           "mprof: 0 B of data in mprof.data; to see it:\n"
                           "mprof report\n");
}
/* SPDX-License-Identifier: MIT */
