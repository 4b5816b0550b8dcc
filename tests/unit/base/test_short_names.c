#include "tests/unit/tap.h"

#include <stdio.h>
#include <string.h>

#include "reporter/base/name_parts.h"
#include "reporter/base/short_names.h"
#include "tests/unit/folder.h"
#include "tests/unit/profile_builder.h"

#define MOST 2000u              /* names in the file */

static struct mp_arena *arena;

static void
set_up(void)
{
    arena = keep_arena();
}

static void
is_shortened(const char *name, const char *expected)
{
    ck_assert_str_eq(mp_short_name(name, arena), expected);
}

/* Checks the short forms of N functions that are shortened together. */
static void
are_shortened(const char *const names[], const char *const expected[], uint32_t n)
{
    const char **shorts = mp_short_names(names, n, arena);

    for (uint32_t i = 0; i < n; i++)
        ck_assert_str_eq(shorts[i], expected[i]);
}

FIXTURE(set_up, NULL)

static const struct {
    const char *name, *expected;
} cases[] = {
    /* Arguments and parameters are left out */
    {"std::map<int, std::vector<int>, std::less<int> >::insert", "std::map<...>::insert"},
    {"std::vector<std::pair<int, int> >::_M_realloc_insert<std::pair<int, int> const&>",
     "std::vector<...>::_M_realloc_insert<...>"},
    {"shop::Basket::add(double) const", "shop::Basket::add"},
    {"std::filesystem::path::end() const &", "std::filesystem::path::end"},
    {"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::"
     "data() const volatile &&", "std::__cxx11::basic_string<...>::data"},
    {"void (*make(std::vector<int> const&))(int)", "void (*make(...))(int)"},
    /* Names that would not become shorter are kept */
    {"std::vector<int>::push_back", "std::vector<int>::push_back"},
    {"f<>", "f<>"},
    {"main", "main"},
    {"", ""},
    {"main()::<lambda(int)>", "main()::<lambda(int)>"},
    /* Operators are no brackets */
    {"std::operator< <char, std::char_traits<char> >", "std::operator< <...>"},
    {"std::operator<< <std::char_traits<char> >(std::ostream&, char)", "std::operator<< <...>"},
    {"std::operator>><wchar_t, std::char_traits<wchar_t> >", "std::operator>><...>"},
    {"std::ostream::operator<<(std::ios_base& (*)(std::ios_base&))", "std::ostream::operator<<"},
    {"std::operator<=><int, 4>(std::array<int, 4> const&, int)", "std::operator<=><...>"},
    {"A<long long>::operator->() const", "A<...>::operator->"},
    {"A<long long>::operator->*<char16_t>(int)", "A<...>::operator->*<...>"},
    {"A<long long>::operator><char16_t>", "A<...>::operator><...>"},
    {"A<long long>::operator>>=(int)", "A<...>::operator>>="},
    {"std::function<void (std::vector<int>&)>::operator()(std::vector<int>&) const",
     "std::function<...>::operator()"},
    {"std::hash<wchar_t>::operator()<long double>(long double)", "std::hash<...>::operator()<...>"},
    {"A<long long>::operator[](unsigned long) const", "A<...>::operator[]"},
    {"A<long long>::operator,(unsigned long)", "A<...>::operator,"},
    {"operator\"\" _kb(unsigned long long)", "operator\"\" _kb"},
    {"operator new[](unsigned long, std::nothrow_t const&)", "operator new[]"},
    {"operator delete(void*, std::align_val_t)", "operator delete"},
    {"A<long long>::operator std::map<int, int, std::less<int> >() const", "A<...>::operator std::map<...>"},
    {"A::operator bool() const", "A::operator bool"},
    {"my_operator<long long>::f", "my_operator<...>::f"},
    /* Parts of names in brackets stay */
    {"(anonymous namespace)::X<std::string, int>::add", "(anonymous namespace)::X<...>::add"},
    {"main::{lambda(std::map<int, int> const&)#1}::operator()(std::map<int, int> const&) "
     "const", "main::{lambda(...)#1}::operator()"},
    {"main()::<lambda(std::vector<int>&)>", "main()::<lambda(...)>"},
    {"run(std::vector<int>)::local::go(int)", "run(...)::local::go"},
    {"ns::{unnamed type#1}::f<long long>", "ns::{unnamed type#1}::f<...>"},
    {"A::(anonymous class)::operator()<long long>", "A::(anonymous class)::operator()<...>"},
    {"merge[abi:cxx11](llvm::Triple const&) const", "merge[abi:cxx11]"},
    {"make[abi:cxx11]<long double>(int)", "make[abi:cxx11]<...>"},
    {"a.out!(anonymous namespace)::hide", "a.out!(anonymous namespace)::hide"},
    /* Suffixes are kept */
    {"grow(std::vector<int>&) [clone .cold]", "grow [clone .cold]"},
    {"grow(std::vector<int>&) const [clone .part.0] [clone .cold]", "grow [clone .part.0] [clone .cold]"},
    {"libx.so.1!grow(std::vector<int>&)@pool.cc#2", "libx.so.1!grow@pool.cc#2"},
    {"std::async<main()::<lambda(int)>, long long>@0x3f23", "std::async<...>@0x3f23"},
    {"execute.constprop.0", "execute.constprop.0"},
    {"lambda@shop.cc:12", "lambda@shop.cc:12"},
    {"[cut: no unwind information]", "[cut: no unwind information]"},
    /* Expressions are arguments */
    {"f<(1>2), int>", "f<...>"},
    {"f<((sizeof (std::vector<int>))>(8))>::g<char16_t>", "f<...>::g<...>"},
    {"f<(sizeof (int))<(8)>::g<char16_t>", "f<...>::g<...>"},
    {"f<(1)>>(2), char16_t>::g", "f<...>::g"},
    {"f<(1)>=(2)>::g<char16_t>", "f<...>::g<...>"},
    {"f<decltype (((std::declval<A>)())->size())>::g", "f<...>::g"},
    {"decltype(auto) f<char16_t>", "decltype(auto) f<...>"},
    {"CheckFailed<char const (&) [40], llvm::Instruction*>(char const (&) [40])", "CheckFailed<...>"},
    {"std::thread::thread<void (A<int>::*)(), A<int>*>(void (A<int>::*&&)(), A<int>*&&)",
     "std::thread::thread<...>"},
    /* Names of rust */
    {"<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop",
     "<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop"},
    {"<alloc::vec::Vec<u8, alloc::alloc::Global> as core::iter::Extend<&u8>>::extend::<I>",
     "<alloc::vec::Vec<...> as core::iter::Extend<&u8>>::extend::<I>"},
    {"core::ptr::drop_in_place::<alloc::vec::Vec<u8>>", "core::ptr::drop_in_place::<...>"},
    {"core::fmt::num::<impl core::fmt::Display for alloc::vec::Vec<u8>>::fmt",
     "core::fmt::num::<impl core::fmt::Display for alloc::vec::Vec<u8>>::fmt"},
    {"<dyn core::ops::Fn(&'a str) -> u8 + 'a as Call<(A, B)>>::call::{closure#0}",
     "<dyn core::ops::Fn(...) -> u8 + 'a as Call<...>>::call::{closure#0}"},
    {"std::sync::Once::call_once::{{closure}}", "std::sync::Once::call_once::{{closure}}"},
    {"<[T; 32] as core::slice::Join<'<', \">\">>::join", "<[T; 32] as core::slice::Join<...>>::join"},
    /* Names of other languages */
    {"std.algorithm.sorting.sort!(\"a < b\", SwapStrategy.unstable, int[])",
     "std.algorithm.sorting.sort!(...)"},
    {"std.stdio.File.writeln!(string).writeln(string)", "std.stdio.File.writeln!(...).writeln"},
    {"main.(*Tree[go.shape.int]).Insert", "main.(*Tree[go.shape.int]).Insert"},
    {"-[NSString stringWithFormat:]", "-[NSString stringWithFormat:]"},
    {"camlStdlib__List__fold_left_1", "camlStdlib__List__fold_left_1"},
};

TEST_EACH(one_name_alone, cases)
{
    is_shortened(cases[_i].name, cases[_i].expected);
}

TEST(what_is_not_understood_stays_whole)
{
    static const char *const names[] = {
        "f<int", "f>int", "f(int", "f)<char16_t>", "f<(int>)", "f<a[char16_t>]", "operator<<int>",
        "<<<<<", ">>>>>", "STRING<=", "((((", "}{", "f<[{(", "'", "\"", "\"\\"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        is_shortened(names[i], names[i]);
}

TEST(brackets_in_brackets_are_bounded)
{
    char *deep = mp_arena_alloc(arena, 16001), *name = mp_arena_alloc(arena, 4001);

    memset(deep, '(', 16000);
    is_shortened(deep, deep);
    for (size_t i = 0; i < 1000; i++)
        memcpy(name + 2 * i, "f<", 2);
    memset(name + 2000, '>', 1000);
    is_shortened(name, name);
    memset(name, 0, 4001);
    for (size_t i = 0; i < 400; i++)
        memcpy(name + 2 * i, "f<", 2);
    memset(name + 800, '>', 400);
    is_shortened(name, "f<...>");
}

/* ---------------------------------------------------------------- several */

#define SHORTENED(...)                                                                            \
    do {                                                                                          \
        static const char *const both[][2] = {__VA_ARGS__};                                       \
        enum { N = sizeof both / sizeof *both };                                                  \
        const char *names[N], *expected[N];                                                       \
                                                                                                  \
        for (size_t i = 0; i < N; i++) {                                                          \
            names[i] = both[i][0];                                                                \
            expected[i] = both[i][1];                                                             \
        }                                                                                         \
        are_shortened(names, expected, N);                                                        \
    } while (0)

TEST(what_tells_functions_apart_is_shown)
{
    SHORTENED({"std::vector<int, std::allocator<int> >::push_back", "std::vector<int, ...>::push_back"},
              {"std::vector<long, std::allocator<long> >::push_back",
               "std::vector<long, ...>::push_back"},
              {"std::vector<long, std::allocator<long> >::resize", "std::vector<...>::resize"},
              {"std::vector<int, std::allocator<int> >::vector", "std::vector<...>::vector"},
              {"main", "main"});
}

TEST(arguments_are_shortened_themselves)
{
    SHORTENED({"A<std::map<int, std::less<int> >, char>::f", "A<std::map<...>, ...>::f"},
              {"A<std::set<int, std::less<int> >, char>::f", "A<std::set<int, ...>, ...>::f"},
              {"A<std::set<long, std::less<int> >, char>::f", "A<std::set<long, ...>, ...>::f"});
}

TEST(overloads_have_parameters)
{
    SHORTENED({"add(int)", "add(int)"}, {"add(std::vector<int, A> const&)", "add(std::vector<...> const&)"},
              {"add(std::vector<int, A>&&)", "add(std::vector<...>&&)"},
              {"put(std::vector<int, A>&&)", "put"},
              {"get() const", "get() const"}, {"get()", "get()"},
              {"a.out!walk(int)", "a.out!walk"}, {"libx.so!walk(int)", "libx.so!walk"});
}

TEST(as_many_arguments_as_are_needed)
{
    SHORTENED({"f<int, long, A>(int)", "f<..., A>(int)"}, {"f<int, long, A>(long)", "f<..., A>(long)"},
              {"f<int, long, B>(long)", "f<..., B>"},
              {"g<long long>", "g<long long>"}, {"g<long long, int>", "g<long long, int>"},
              {"h<A1234, B1234>", "h<..., B1234>"}, {"h<A1234, C1234>", "h<..., C1234>"});
}

TEST(names_with_dots_are_not_mistaken)
{
    SHORTENED({"std::map<int, long>::f", "std::map<int, long>::f"},
              {"std::map<...>::f", "std::map<...>::f"});
}

TEST(one_name_may_come_twice)
{
    SHORTENED({"std::map<int, int>::f", "std::map<...>::f"}, {"std::map<int, int>::f", "std::map<...>::f"},
              {"g<A, std::less<A> >", "g<A, ...>"}, {"g<A, std::less<A> >", "g<A, ...>"},
              {"g<B, std::less<B> >", "g<B, ...>"});
}

/* ---------------------------------------------------------------- real names */

static uint32_t
read_names(const char *names[static MOST])
{
    char line[2048];
    uint32_t n = 0;
    FILE *file = fopen(source_path("tests/data/names.txt"), "r");

    ck_assert_ptr_nonnull(file);
    for (; n < MOST && fgets(line, sizeof line, file); n++)
        names[n] = mp_arena_printf(arena, "%.*s", (int)strcspn(line, "\n"), line);
    fclose(file);
    return n;
}

/* The file has names of libstdc++, boost, LLVM, clang, rustc and gcc's debug information. Most names have lists of
 * arguments, none becomes longer, and all stay different. */
TEST(real_names_stay_different)
{
    static const char *names[MOST];
    uint32_t n = read_names(names), lists, all = 0;
    const char **shorts = mp_short_names(names, n, arena);
    size_t before = 0, after = 0;

    ck_assert_uint_gt(n, 500);
    for (uint32_t i = 0; i < n; i++) {
        mp_name_lists((struct mp_text_part){names[i], strlen(names[i])}, true, arena, &lists);
        all += lists > 0;
        ck_assert_uint_le(strlen(shorts[i]), strlen(names[i]));
        for (uint32_t j = 0; j < i; j++)
            ck_assert_str_ne(shorts[i], shorts[j]);
        before += strlen(names[i]);
        after += strlen(shorts[i]);
    }
    ck_assert_uint_gt(all * 100, n * 85);
    ck_assert_uint_lt(after * 3, before * 2);
}

TEST(arguments_are_split_at_commas_outside_of_brackets)
{
    static const char text[] = "f<A<int, int>, (1, 2), operator,, \"a, b\" , int (*)(int, int)>";
    static const char *const expected[] = {"A<int, int>", "(1, 2)", "operator,", "\"a, b\"",
                                           "int (*)(int, int)"};
    uint32_t n;
    const struct mp_name_list *lists =
        mp_name_lists((struct mp_text_part){text, strlen(text)}, true, arena, &n);
    const struct mp_text_part *arguments;

    ck_assert_uint_eq(n, 1);
    arguments = mp_name_arguments(lists, arena, &n);
    ck_assert_uint_eq(n, sizeof expected / sizeof *expected);
    for (uint32_t i = 0; i < n; i++)
        ck_assert_str_eq(mp_arena_printf(arena, "%.*s", (int)arguments[i].length, arguments[i].text),
                         expected[i]);
}
/* SPDX-License-Identifier: MIT */
