/* Options that a file of limits has for a program. */
#include "tests/unit/tap.h"

#include <string.h>

#include "reporter/verdict/limits_file.h"
#include "tests/unit/folder.h"
#include "tests/unit/golden.h"
#include "tests/unit/profile_builder.h"

/* Files, the options that each has for the program test_parse, or the reason why it is refused. */
static const struct {
    const char *name, *text, *options, *problem;
} cases[] = {
    {"all programs", "# none\nmax-peak = \"40M\"\nno-leaks = true\nmax-kept = 4K # bytes\nallow-killed = false\n",
     "--max-peak=40M --no-leaks --max-kept=4K ", NULL},
    {"a list", "[test_*]\nlimit-function = ['^parse:kept=0', \"a\\\"b:bytes=1\"]\n",
     "--limit-function=^parse:kept=0 --limit-function=a\"b:bytes=1 ", NULL},
    {"other programs", "[other]\nno-leaks\n[test_parse]\nmax-kept = 1\n[\"other\"]\nmax-bytes = 1\n", "--max-kept=1 ",
     NULL},
    {"a pattern with brackets", "[ test_[p]arse ]\nno-leaks\n[\"test_[q]arse\"] # [test_parse]\nmax-kept = 1\n",
     "--no-leaks ", NULL},
    {"a comment with brackets", "[test_*] # see [12]\nno-leaks\n", "--no-leaks ", NULL},
    {"a quoted name with a number sign", "[\"test_*\"] # \"]\nno-leaks\n['test#1']\nmax-kept = 1\n", "--no-leaks ",
     NULL},
    {"no end", "[test\n", NULL, "1: a section is a program's name in brackets"},
    {"no name", "\n[ ]\n", NULL, "2: a section is a program's name in brackets"},
    {"an end in a comment", "[test # ]\n", NULL, "1: a section is a program's name in brackets"},
    {"something behind the end", "[\"test\"] x\n", NULL, "1: a section is a program's name in brackets"},
    {"no value", "max-kept =\n", NULL, "1: no value"},
};

TEST_CASES(options_of_a_program, cases)
{
    struct mp_limits_argv options = {.arena = keep_arena()};
    const char *path = make_text("limits", cases[_i].text);
    struct mp_error error;
    char *text;
    FILE *out = golden_stream(&text);
    const bool ok = mp_limits_file_read(path, "test_parse", &options, &error);

    for (uint32_t i = 1; i < options.n; i++)
        fprintf(out, "%s ", options.list[i]);
    text = golden_close(out, &text);
    ck_assert_int_eq(ok, !cases[_i].problem);
    if (ok)
        ck_assert_str_eq(text, cases[_i].options);
    else
        ck_assert_str_eq(error.text + strlen(path) + 1, cases[_i].problem);
}
/* SPDX-License-Identifier: MIT */
