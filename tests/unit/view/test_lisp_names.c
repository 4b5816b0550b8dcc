#include "tests/unit/tap.h"

#include <stdio.h>
#include <string.h>

#include "reporter/view/lisp_names.h"
#include "reporter/view/source_lines.h"
#include "tests/unit/folder.h"

#define NEVER ((uint64_t)1 << 62)       /* ns since 1970: no file is newer */

static struct mp_name
name(const char *text, const char *file, int64_t position)
{
    return (struct mp_name){.name = text, .file = file, .position = position};
}

/* Fails the test if the shown forms of the N NAMES, separated by bars, are not EXPECTED. */
static void
must_show(struct mp_name *names, uint32_t n, bool places, const char *expected)
{
    struct mp_profile *profile = mp_profile_new();
    struct mp_lisp_names shown;
    char text[1024] = "";

    profile->names = names;
    profile->n_names = n;
    shown = mp_lisp_names(profile, places, profile->arena);
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0)
            strcat(text, " | ");
        strcat(text, shown.texts[i]);
    }
    ck_assert_str_eq(text, expected);
    mp_profile_free(profile);
}
#define MUST_SHOW(names, places, expected) \
    must_show(names, sizeof names / sizeof *names, places, expected)

TEST(a_function_of_one_file_is_one)
{
    struct mp_name names[] = {name("FOO", "/x/a.lisp", 3), name("FOO", "", -1),
                              name("FOO", "/x/a.lisp", 77), name("BAR", "/x/b.lisp", 1)};

    MUST_SHOW(names, false, "FOO | FOO | FOO | BAR");
}

TEST(functions_of_several_files_have_theirs)
{
    struct mp_name names[] = {name("FOO", "/x/one/a.lisp", 3), name("FOO", "", -1),
                              name("FOO", "/x/two/a.lisp", 3), name("BAR", "/x/two/b.lisp", 1),
                              name("BAR", "/x/c.lisp", 1)};

    MUST_SHOW(names, false,
              "FOO (one/a.lisp) | FOO | FOO (two/a.lisp) | BAR (b.lisp) | BAR (c.lisp)");
}

TEST(what_has_no_name_has_its_place)
{
    struct mp_name names[] = {name("LAMBDA", "/x/a.fas", -1), name("LAMBDA", "/y/a.fas", -1),
                              name("LAMBDA #2", "/y/a.fas", -1), name("LAMBDA #2 in F", "/z.lisp", -1),
                              name("(LAMBDA (X))", "/gone/b.lisp", 12), name("LAMBDA", "", -1),
                              name("top-level forms", "/y/a.fas", -1),
                              name("top-level form", "/gone/b.lisp", 0)};

    MUST_SHOW(names, false,
              "LAMBDA of x/a.fas | LAMBDA of y/a.fas | LAMBDA #2 of y/a.fas | LAMBDA #2 in F | "
              "(LAMBDA (X)) of b.lisp@12 | LAMBDA | top-level forms of y/a.fas | "
              "top-level form of b.lisp@0");
}

TEST(places_of_all)
{
    struct mp_name names[] = {name("FOO", "/gone/a.lisp", 3), name("BAR", "/gone/a.lisp", -1),
                              name("BAZ", "", -1), name("CAR", "SRC:LSP;A.LSP", 5)};

    names[3].builtin = true;
    MUST_SHOW(names, true, "FOO (a.lisp@3) | BAR (a.lisp) | BAZ | CAR");
}

TEST(one_path_ends_like_another)
{
    struct mp_name names[] = {name("F", "/a.lisp", -1), name("F", "/x/a.lisp", -1),
                              name("F", "/x/x/a.lisp", -1), name("F", "a.lisp", -1),
                              name("G", "/x/ba.lisp", -1)};

    MUST_SHOW(names, true,
              "F (/a.lisp) | F (/x/a.lisp) | F (x/x/a.lisp) | F (a.lisp) | G (ba.lisp)");
}

/* ---------------------------------------------------------------- lines */

static const char *path;        /* of a file of Lisp */

static uint32_t
line_at(const char *text, const char *where, uint64_t start)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_source_lines *lines = mp_source_lines_open(arena, NULL, start, MP_SOURCE_MOST);
    uint32_t line = mp_source_form(lines, path, strstr(text, where) - text, NULL);

    mp_source_lines_close(lines);
    mp_arena_free(arena);
    return line;
}

TEST(a_form_begins_after_blanks_and_comments)
{
    static const char text[] = "(first)\n; one\n#| two\n #| nested |# |#\n\t(second) (third)\n"
                               "symbol\n'(fourth)";

    path = make_text("a.lisp", text);
    ck_assert_uint_eq(line_at(text, "(first)", NEVER), 1);
    ck_assert_uint_eq(line_at(text, "\n; one", NEVER), 5);
    ck_assert_uint_eq(line_at(text, "(second)", NEVER), 5);
    ck_assert_uint_eq(line_at(text, " (third)", NEVER), 5);
    ck_assert_uint_eq(line_at(text, "symbol", NEVER), 0);
    ck_assert_uint_eq(line_at(text, "'(fourth)", NEVER), 7);
    ck_assert_uint_eq(line_at(text, "fourth)", NEVER), 0);
}

TEST(a_file_that_does_not_serve_is_said)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_source_lines *lines;
    const char **problems;
    uint32_t n;

    path = make_text("a.lisp", "(a)");
    lines = mp_source_lines_open(arena, NULL, 1, MP_SOURCE_MOST);
    ck_assert_uint_eq(mp_source_form(lines, path, 0, NULL), 0);
    ck_assert_uint_eq(mp_source_form(lines, path, 0, NULL), 0);
    ck_assert_uint_eq(mp_source_form(lines, "/nowhere/b.lisp", 0, NULL), 0);
    ck_assert_uint_eq(mp_source_form(lines, "/dev/null", 0, NULL), 0);
    problems = mp_source_problems(lines, &n);
    ck_assert_uint_eq(n, 3);
    ck_assert_ptr_nonnull(strstr(problems[0], ": changed"));
    ck_assert_str_eq(problems[1], "b.lisp: missing");
    ck_assert_str_eq(problems[2], "null: unreadable");
    mp_source_lines_close(lines);

    lines = mp_source_lines_open(arena, NULL, NEVER, MP_SOURCE_MOST);
    ck_assert_uint_eq(mp_source_form(lines, path, 0, NULL), 1);
    ck_assert_uint_eq(mp_source_form(lines, path, 3, NULL), 0);
    ck_assert_uint_eq(mp_source_form(lines, path, INT64_MAX, NULL), 0);
    ck_assert_uint_eq(mp_source_form(lines, path, -1, NULL), 0);
    mp_source_problems(lines, &n);
    ck_assert_uint_eq(n, 0);
    mp_source_lines_close(lines);
    mp_arena_free(arena);
}
/* SPDX-License-Identifier: MIT */
