#include "tests/unit/tap.h"

#include <string.h>

#include "reporter/unite/match.h"
#include "tests/unit/profile_builder.h"

static struct mp_arena *arena;

static void
set_up(void)
{
    arena = keep_arena();
}

/* ---------------------------------------------------------------- stems */

FIXTURE(set_up, NULL)

static const struct {
    const char *name, *stem;
} numbers[] = {
    {"f", "f"},
    {"f1::g2", "f1::g2"},
    {"main::{lambda(int)#2}::operator()", "main::{lambda(int)}::operator()"},
    {"each<main::{lambda(int)#1}, main::{lambda()#12}>", "each<main::{lambda(int)}, main::{lambda()}>"},
    {"lambda@queue.cc:12", "lambda@queue.cc"},
    {"apply<lambda@a.cc:7>::f", "apply<lambda@a.cc>::f"},
    {"S::{unnamed type#3}::f", "S::{unnamed type}::f"},
    {"main::$_0::operator()", "main::$_::operator()"},
    {"crate::f::{closure#0}", "crate::f::{closure}"},
    {"main.main.func1.2", "main.main.func.2"},
    {"LAMBDA #2 in COUNT-WORDS", "LAMBDA in COUNT-WORDS"},
    {"LAMBDA in COUNT-WORDS", "LAMBDA in COUNT-WORDS"},
    {"LAMBDA #3 of words.lisp:17", "LAMBDA of words.lisp"},
    {"(LAMBDA (X)) of words.lisp:7", "(LAMBDA (X)) of words.lisp"},
    {"top-level form of words.lisp@345", "top-level form of words.lisp"},
    {"COUNT-OF-7", "COUNT-OF-7"},
    {"LAMBDA of words.lisp", "LAMBDA of words.lisp"},
};

TEST_EACH(numbers_that_say_nothing_are_taken_off, numbers)
{
    ck_assert_str_eq(mp_stem_numbers(numbers[_i].name, arena), numbers[_i].stem);
}

static const struct {
    const char *name, *stem;
} modules[] = {
    {"libfoo.so", "libfoo.so"},       {"libfoo.so.1.2.3", "libfoo.so"}, {"libc-2.36.so", "libc.so"},
    {"libfoo-1.2.so.3", "libfoo.so"}, {"libx2.so", "libx2.so"},         {"perl", "perl"},
    {"a.some", "a.some"},             {".so", ".so"},                   {"libpython3.11.so.1.0", "libpython3.11.so"},
};

TEST_EACH(libraries_are_the_same_in_all_versions, modules)
{
    ck_assert_str_eq(mp_stem_module(modules[_i].name, arena), modules[_i].stem);
}

/* ---------------------------------------------------------------- matching */

enum { B = 1u << MP_BEFORE, A = 1u << MP_AFTER };

static struct mp_match_function list[8];
static uint32_t n;

/* Adds a function to the list. Returns its index. */
static uint32_t
add(unsigned sides, const char *name, const char *file, const char *module, const char *build)
{
    list[n] = (struct mp_match_function){.name = name, .file = *file ? file : NULL, .module = module,
                                         .module_name = module, .build = build, .sort = "", .sides = sides,
                                         .run = sides & B ? 0 : 1};
    return n++;
}

/* Matches all functions and empties the list. Returns the names of the matched functions, in the order of the list. */
static const char *
matched(void)
{
    uint32_t count;
    const char **names = mp_match(list, n, &count, arena);
    const char *text = "";

    for (uint32_t i = 0; i < n; i++)
        text = mp_arena_printf(arena, "%s%s%s", text, i > 0 ? " " : "", names[list[i].match]);
    n = 0;
    return text;
}

TEST(same_names_are_the_same_function)
{
    add(B, "f", "", "", "");
    add(A, "f", "", "", "");
    add(A, "f.cold", "", "", "");
    add(B, "g", "", "libg.so", "1");
    add(A, "g", "", "libother.so", "2");
    add(B, "h", "h.c", "", "");
    add(A, "k", "", "", "");
    ck_assert_str_eq(matched(), "f f f g g h k");
}

TEST(numbers_count_in_one_build)
{
    add(B | A, "f::{lambda()#1}", "", "m", "build");
    add(A, "f::{lambda()#2}", "", "m", "build");
    ck_assert_str_eq(matched(), "f::{lambda()#1} f::{lambda()#2}");
    add(B, "f::{lambda()#1}", "", "m", "old");
    add(A, "f::{lambda()#1}", "", "m", "new");
    add(A, "f::{lambda()#2}", "", "m", "new");
    ck_assert_str_eq(matched(), "f::{lambda()} f::{lambda()} f::{lambda()}");
    add(B, "f::{lambda()#1}", "", "m", "old");
    add(A, "f::{lambda()#1}", "", "m", "new");
    ck_assert_str_eq(matched(), "f::{lambda()#1} f::{lambda()#1}");
}

/* Adds a function without a name at the address START. */
static void
add_nameless(unsigned sides, uint64_t start, const char *build)
{
    list[add(sides, NULL, "", "libx.so", build)].start = start;
}

TEST(addresses_count_in_one_build)
{
    add_nameless(B | A, 0x10, "build");
    add_nameless(A, 0x20, "build");
    ck_assert_str_eq(matched(), "libx.so+0x10 libx.so+0x20");
    add_nameless(B, 0x10, "old");
    add_nameless(A, 0x14, "new");
    add_nameless(A, 0x20, "new");
    ck_assert_str_eq(matched(), "[no name in libx.so] [no name in libx.so] [no name in libx.so]");
}

TEST(several_of_one_name_are_told_apart)
{
    add(B, "init", "/old/a.c", "prog", "1");
    add(B, "init", "/old/b.c", "prog", "1");
    add(A, "init", "/new/b.c", "prog", "2");
    add(A, "init", "/new/a.c", "prog", "2");
    ck_assert_str_eq(matched(), "init@a.c init@b.c init@b.c init@a.c");
    /* If the file of one function was renamed, one function is left on each side, and these two match. */
    add(B, "init", "a.c", "prog", "1");
    add(B, "init", "b.c", "prog", "1");
    add(A, "init", "c.c", "prog", "2");
    add(A, "init", "a.c", "prog", "2");
    ck_assert_str_eq(matched(), "init@a.c init@c.c init@c.c init@a.c");
    /* If the file of a function is unknown, its module is used instead. */
    add(B, "init", "a.c", "libx.so", "1");
    add(B, "init", "b.c", "liby.so", "1");
    add(A, "init", "", "liby.so", "2");
    ck_assert_str_eq(matched(), "init@a.c init@liby.so init@liby.so");
}

TEST(parameters_tell_apart_where_all_have_them)
{
    list[add(B, "f", "f.cc", "m", "1")].parameters = "(int)";
    list[add(B, "f", "f.cc", "m", "1")].parameters = "(long)";
    list[add(A, "f", "f.cc", "m", "2")].parameters = "(long)";
    list[add(A, "f", "f.cc", "m", "2")].parameters = "(int)";
    ck_assert_str_eq(matched(), "f(int) f(long) f(long) f(int)");
    list[add(B, "f", "f.cc", "m", "1")].parameters = "(int)";
    list[add(B, "f", "f.cc", "m", "1")].parameters = "(long)";
    add(A, "f", "f.cc", "m", "2");
    ck_assert_str_eq(matched(), "f f f");
}

TEST(sorts_are_never_mixed)
{
    list[add(B, "f", "", "", "")].sort = "language";
    add(A, "f", "", "", "");
    (void)matched();
    ck_assert_uint_ne(list[0].match, list[1].match);
}

/* Adds a function f with PARAMETERS, which may be NULL, in FILE. */
static void
add_overload(unsigned sides, const char *parameters, const char *file)
{
    list[add(sides, "f", file, "prog", sides & B ? "1" : "2")].parameters = parameters;
}

TEST(overloads_come_and_go)
{
    add_overload(B, "(int)", "f.cc");
    add_overload(B, "(long)", "f.cc");
    add_overload(A, "(short)", "f.cc");
    add_overload(A, "(int)", "f.cc");
    add_overload(A, "(long)", "f.cc");
    ck_assert_str_eq(matched(), "f(int) f(long) f(short) f(int) f(long)");
    /* One function was removed and one was added. */
    add_overload(B, "(int)", "f.cc");
    add_overload(B, "(long)", "f.cc");
    add_overload(A, "(int)", "f.cc");
    add_overload(A, "(char)", "f.cc");
    ck_assert_str_eq(matched(), "f(int) f(long) f(int) f(char)");
    /* All functions moved to another file. */
    add_overload(B, "(int)", "old.cc");
    add_overload(B, "(long)", "old.cc");
    add_overload(A, "(long)", "new.cc");
    add_overload(A, "(int)", "new.cc");
    ck_assert_str_eq(matched(), "f(int) f(long) f(long) f(int)");
    /* The parameters of a function that is the only one of its name changed. */
    add_overload(B, "(int)", "f.cc");
    add_overload(A, "(long)", "f.cc");
    ck_assert_str_eq(matched(), "f f");
    /* A function of C has no parameters; those of C++ in another file are told apart all the same. */
    add_overload(B | A, NULL, "f.c");
    add_overload(B | A, "(int)", "f.cc");
    add_overload(B | A, "(long)", "f.cc");
    ck_assert_str_eq(matched(), "f f(int) f(long)");
}

TEST(folders_tell_apart_files_of_one_name)
{
    add(B, "fill", "/old/src/a/util.c", "prog", "1");
    add(B, "fill", "/old/src/b/util.c", "prog", "1");
    add(A, "fill", "/new/src/b/util.c", "prog", "2");
    add(A, "fill", "/new/src/a/util.c", "prog", "2");
    ck_assert_str_eq(matched(), "fill@a/util.c fill@b/util.c fill@b/util.c fill@a/util.c");
    /* One function was removed. */
    add(B, "fill", "/old/src/a/util.c", "prog", "1");
    add(B, "fill", "/old/src/b/util.c", "prog", "1");
    add(A, "fill", "/new/src/b/util.c", "prog", "2");
    ck_assert_str_eq(matched(), "fill@a/util.c fill@b/util.c fill@b/util.c");
    /* The files are in different modules of one run. */
    add(B, "fill", "/old/src/a/util.c", "prog", "1");
    add(B, "fill", "/old/src/b/util.c", "libx.so", "x1");
    add(A, "fill", "/new/src/b/util.c", "libx.so", "x2");
    add(A, "fill", "/new/src/a/util.c", "prog", "2");
    ck_assert_str_eq(matched(), "fill@a/util.c fill@b/util.c fill@b/util.c fill@a/util.c");
    /* One file was built in different folders for different runs of one side. */
    add(B, "fill", "/build/1/src/util.c", "prog", "1");
    list[add(B, "fill", "/build/2/src/util.c", "prog", "2")].run = 2;
    add(A, "fill", "/build/3/src/util.c", "prog", "3");
    ck_assert_str_eq(matched(), "fill fill fill");
}

TEST(addresses_tell_apart_in_one_build)
{
    for (unsigned i = 0; i < 2; i++)
        list[add(B | A, "fill", "util.c", "prog", "build")].start = 0x10 + i;
    ck_assert_str_eq(matched(), "fill@util.c@0x10 fill@util.c@0x11");
    for (unsigned i = 0; i < 2; i++)
        list[add(i == 0 ? B : A, "fill", "util.c", "prog", i == 0 ? "1" : "2")].start = 0x10 + i;
    ck_assert_str_eq(matched(), "fill fill");
}
/* SPDX-License-Identifier: MIT */
