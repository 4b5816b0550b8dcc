/* Suppressions that are suggested, which valgrind and mprof read. */
#include "tests/unit/tap.h"

#include <string.h>

#include "reporter/verdict/suggest.h"
#include "reporter/verdict/suppress.h"
#include "tests/unit/golden.h"
#include "tests/unit/profile_builder.h"

/* Chains that keep three blocks of 10 bytes, and the frames suggested for them, from the innermost on. */
static const struct {
    const char *name, *chain, *frames;
} cases[] = {
    {"functions of C", "main;get", "fun:*alloc*\n   fun:get\n   fun:main\n"},
    {"a member of a template", "main;std::map<A, B>::at(int)", "fun:*alloc*\n   fun:_Z*at*\n   fun:main\n"},
    {"a function in namespaces", "ns::get_it(int);get", "fun:*alloc*\n   fun:get\n   fun:_Z*get_it*\n"},
    {"an unnamed namespace", "ns::(anonymous namespace)::f(int);(anonymous namespace)::g()",
     "fun:*alloc*\n   fun:_Z*g*\n   fun:_Z*f*\n"},
    {"a template function", "std::vector<int> make<int>(int);g", "fun:*alloc*\n   fun:g\n   fun:_Z*make*\n"},
    {"a destructor", "Table::~Table();g", "fun:*alloc*\n   fun:g\n   fun:_Z*Table*\n"},
    {"operators have no name in mangled names", "Table::operator[](int);ns::operator<(A, A);operator<(A, A)",
     "fun:*alloc*\n   fun:*\n   fun:_Z*ns*\n   fun:_Z*Table*\n"},
    {"nor have lambda expressions", "run(int)::{lambda(int)#1}::operator()(int) const;g",
     "fun:*alloc*\n   fun:g\n   fun:_Z*run*\n"},
    {"a lambda expression by its line", "run::lambda@a.cc:7@7;lambda@a.cc:8@8",
     "fun:*alloc*\n   fun:*\n   fun:_Z*run*\n"},
    {"operator new replaces malloc", "main;get;operator new(unsigned long)", "fun:_Zn*\n   fun:get\n   fun:main\n"},
};

TEST_CASES(frames_are_suggested, cases)
{
    struct mp_profile *profile = PROFILE_OF({cases[_i].chain, MP_KIND_SMALL, 3, 30, 0, 0}), *left;
    struct mp_suppressions all = {.arena = keep_arena()};
    struct mp_totals totals;
    struct mp_error error;
    char *text, expected[512];
    FILE *out = golden_stream(&text);

    mp_profile_set_kept(profile);
    ck_assert_uint_eq(mp_suggest(profile, MP_SUGGEST_VALGRIND, out, &error), 1);
    text = golden_close(out, &text);
    snprintf(expected, sizeof expected, "{\n   kept-1: 30 bytes in 3 blocks\n   Memcheck:Leak\n"
             "   match-leak-kinds: all\n   %s}\n", cases[_i].frames);
    ck_assert_str_eq(text, expected);
    ck_assert_msg(mp_suppressions_parse(&all, text, "test", &error), "%s", error.text);
    left = keep_profile(mp_suppress(profile, &all));
    mp_profile_totals(left, &totals);
    ck_assert_uint_eq(totals.all.kept_blocks, 0);
}
/* SPDX-License-Identifier: MIT */
