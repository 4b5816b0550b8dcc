#include "tests/unit/tap.h"

#include <string.h>

#include "reporter/limits/suppress.h"
#include "tests/unit/profile_builder.h"

#define VALGRIND(frames) "{\n a name\n Memcheck:Leak\n match-leak-kinds: all\n" frames "}\n"

/* Three blocks of 10 bytes on one chain, none of them freed. */
static struct mp_profile *
leak_on(const char *chain)
{
    struct mp_profile *profile = PROFILE_OF({chain, MP_KIND_SMALL, 3, 30, 0, 0});

    mp_profile_set_kept(profile);
    return profile;
}

static bool
is_suppressed(const char *chain, const char *text)
{
    struct mp_suppressions all = {.arena = mp_arena_new()};
    struct mp_profile *profile = leak_on(chain), *left;
    struct mp_totals totals;
    struct mp_error error;
    bool none;

    ck_assert_msg(mp_suppressions_parse(&all, text, "test", &error), "%s", error.text);
    left = mp_suppress(profile, &all);
    mp_profile_totals(left, &totals);
    none = totals.all.kept_blocks == 0;
    ck_assert_uint_eq(totals.all.kept, none ? 0 : 30);
    ck_assert_uint_eq(totals.all.allocs, 3);
    for (uint32_t i = 0; i < all.n; i++)
        ck_assert_uint_eq(all.list[i].bytes, all.list[i].blocks * 10);
    mp_profile_free(left);
    mp_arena_free(all.arena);
    return none;
}

static void
must_be(bool expected, const char *chain, const char *text)
{
    ck_assert_msg(is_suppressed(chain, text) == expected, "%s by %s", chain, text);
}

TEST(lsan)
{
    must_be(true, "main;read_names;xmalloc", "leak:names\n");
    must_be(true, "main;read_names;xmalloc", "leak:^read_*\n");
    must_be(false, "main;read_names;xmalloc", "leak:^names\n");
    must_be(true, "main;read_names;xmalloc", "leak:names$\n");
    must_be(false, "main;read_names;xmalloc", "leak:read$\n");
    must_be(true, "main;libx.so.6!f", "leak:libx.so\n");
    must_be(true, "main;f@7", "leak:/src/f.c\n");
    must_be(false, "main;f[int]", "leak:f[abc]\n");
    must_be(true, "main;f[int]", "leak:f[int]\n");
}

TEST(frames_from_the_innermost_on)
{
    must_be(true, "main;f;g", VALGRIND("fun:g\nfun:f\n"));
    must_be(true, "main;f;g", VALGRIND("fun:g\n"));
    must_be(false, "main;f;g", VALGRIND("fun:f\n"));
    must_be(false, "main;f;g", VALGRIND("fun:g\nfun:main\n"));
    must_be(false, "main;f", VALGRIND("fun:f\nfun:main\nfun:start\n"));
    must_be(true, "main;outer/inner", VALGRIND("fun:inner\nfun:outer\nfun:main\n"));
    must_be(true, "main;libx.so.6!f", VALGRIND("obj:*/libx.so*\nfun:main\n"));
    must_be(true, "main;f@7", VALGRIND("src:f.c:7\n"));
    must_be(false, "main;f@7", VALGRIND("src:f.c:8\n"));
    must_be(true, "main;f@7", VALGRIND("src:f.c\n"));
}

TEST(any_frames)
{
    must_be(true, "main;a;b;c", VALGRIND("...\nfun:a\n"));
    must_be(true, "main;a;b;a;c", VALGRIND("...\nfun:a\nfun:main\n"));
    must_be(true, "main;c", VALGRIND("fun:c\n...\nfun:main\n"));
    must_be(false, "main;a;b;c", VALGRIND("...\nfun:c\nfun:a\n"));
    must_be(true, "main;a", VALGRIND("fun:?\n...\n"));
}

TEST(the_allocation_function)
{
    must_be(true, "main;f", VALGRIND("fun:malloc\nfun:f\nfun:main\n"));
    must_be(true, "main;f", VALGRIND("fun:*alloc*\nfun:f\n"));
    must_be(false, "main;f", VALGRIND("fun:free\nfun:f\n"));
    must_be(false, "main;f", VALGRIND("fun:malloc\n"));
    must_be(true, "main;f;operator new(unsigned long)", VALGRIND("fun:_Znwm\nfun:f\n"));
    must_be(true, "main;f;strdup", VALGRIND("fun:malloc\nfun:strdup\nfun:f\n"));
}

TEST(mangled_names)
{
    must_be(true, "main;std::map<int>::emplace(int)", VALGRIND("fun:_ZNSt3mapIi*emplace*\n"));
    must_be(false, "main;std::map<int>::insert(int)", VALGRIND("fun:_ZNSt3mapIi*emplace*\n"));
    must_be(true, "main;Table::add(int)", VALGRIND("fun:Table::add\n"));
    must_be(false, "main;f", VALGRIND("fun:_Z*\n"));
}

TEST(the_first_that_matches_counts)
{
    struct mp_suppressions all = {.arena = mp_arena_new()};
    struct mp_profile *profile = leak_on("main;f"), *left;
    struct mp_error error;

    ck_assert(mp_suppressions_parse(&all, "# none\nleak:nobody\nleak:f\n\nleak:main\n", "test", &error));
    left = mp_suppress(profile, &all);
    ck_assert_uint_eq(all.n, 3);
    ck_assert_uint_eq(all.list[0].blocks, 0);
    ck_assert_uint_eq(all.list[1].blocks, 3);
    ck_assert_uint_eq(all.list[2].blocks, 0);
    ck_assert_str_eq(all.list[1].name, "leak:f");
    mp_profile_free(left);
    mp_arena_free(all.arena);
}

TEST(other_errors_are_passed_over)
{
    must_be(false, "main;f", "{\n a\n Memcheck:Addr4\n fun:f\n}\n");
    must_be(false, "main;f", "{\n a\n Memcheck:Param\n write(buf)\n fun:f\n}\n");
    must_be(true, "main;f", "{\n a\n Memcheck:Cond\n fun:x\n}\n" VALGRIND("fun:f\n"));
}
