#include "tests/unit/tap.h"

#include <string.h>

#include "reporter/compare/match.h"
#include "tests/unit/profile_builder.h"

static struct mp_arena *arena;

static void
set_up(void)
{
    arena = keep_arena();
}

/* ---------------------------------------------------------------- stems */

static const struct {
    const char *name, *stem;
} clones[] = {
    {"f", "f"},
    {"f.constprop.0", "f"},
    {"f.isra.0.cold", "f"},
    {"f.part.12.lto_priv.3", "f"},
    {"f.llvm.1234567", "f"},
    {"f(int) [clone .constprop.0]", "f(int)"},
    {"f.5", "f.5"},
    {"f.5.isra.0", "f.5"},
    {"a.b", "a.b"},
    {"f.party", "f.party"},
    {".cold", ".cold"},
    {"", ""},
};

FIXTURE(set_up, NULL)

TEST_EACH(clones_have_the_stem_of_their_function, clones)
{
    ck_assert_str_eq(mp_stem_clone(clones[_i].name, arena), clones[_i].stem);
}

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
    list[n] = (struct mp_match_function){.name = name, .parameters = "", .file = file, .module = module,
                                         .build = build, .sort = "", .sides = sides};
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

TEST(addresses_count_in_one_build)
{
    add(B | A, "libx.so+0x10", "", "libx.so", "build");
    add(A, "libx.so+0x20", "", "libx.so", "build");
    ck_assert_str_eq(matched(), "libx.so+0x10 libx.so+0x20");
    add(B, "libx.so+0x10", "", "libx.so", "old");
    add(A, "libx.so+0x14", "", "libx.so", "new");
    add(A, "libx.so+0x20", "", "libx.so", "new");
    ck_assert_str_eq(matched(), "[no name in libx.so] [no name in libx.so] [no name in libx.so]");
}

TEST(several_of_one_name_are_told_apart)
{
    add(B, "init", "/old/a.c", "prog", "1");
    add(B, "init", "/old/b.c", "prog", "1");
    add(A, "init", "/new/b.c", "prog", "2");
    add(A, "init", "/new/a.c", "prog", "2");
    ck_assert_str_eq(matched(), "init@a.c init@b.c init@b.c init@a.c");
    /* If one was renamed, one is left on each side, and the two match. */
    add(B, "init", "a.c", "prog", "1");
    add(B, "init", "b.c", "prog", "1");
    add(A, "init", "c.c", "prog", "2");
    add(A, "init", "a.c", "prog", "2");
    ck_assert_str_eq(matched(), "init@a.c init@b.c init@b.c init@a.c");
    /* If a file is unknown, modules distinguish the functions. */
    add(B, "init", "a.c", "libx.so", "1");
    add(B, "init", "b.c", "liby.so", "1");
    add(A, "init", "", "liby.so", "2");
    ck_assert_str_eq(matched(), "init@libx.so init@liby.so init@liby.so");
}

TEST(parts_are_known_by_name)
{
    static const char *const parts[] = {"f.part.0", "f.cold", "f.isra.0.part.1", "f.part.0.constprop.3",
                                        "f(int) [clone .isra.0] [clone .part.0]"};
    static const char *const others[] = {"f", "f.constprop.0", "f.party", ".cold", "a.partial.isra.0", "part"};

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        ck_assert_msg(mp_stem_is_part(parts[i]), "%s", parts[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        ck_assert_msg(!mp_stem_is_part(others[i]), "%s", others[i]);
}

TEST(parameters_tell_apart_where_all_have_them)
{
    list[add(B, "f", "f.cc", "m", "1")].parameters = "(int)";
    list[add(B, "f", "f.cc", "m", "1")].parameters = "(long)";
    list[add(A, "f", "f.cc", "m", "2")].parameters = "(long)";
    list[add(A, "f", "f.cc", "m", "2")].parameters = "(int)";
    ck_assert_str_eq(matched(), "f(int)@f.cc f(long)@f.cc f(long)@f.cc f(int)@f.cc");
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
