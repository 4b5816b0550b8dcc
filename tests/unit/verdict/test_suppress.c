#include "tests/unit/tap.h"

#include <stdio.h>
#include <string.h>

#include "reporter/verdict/suppress.h"
#include "tests/unit/profile_builder.h"

/* An identifier of 300 characters. */
#define TEN "abcdefghij"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define LONG HUNDRED HUNDRED HUNDRED

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

static const struct {
    bool suppressed;
    const char *chain, *text;
} cases[] = {
    /* Rules of LeakSanitizer */
    {true, "main;read_names;xmalloc", "leak:names\n"},
    {true, "main;read_names;xmalloc", "leak:^read_*\n"},
    {false, "main;read_names;xmalloc", "leak:^names\n"},
    {true, "main;read_names;xmalloc", "leak:names$\n"},
    {false, "main;read_names;xmalloc", "leak:read$\n"},
    {true, "main;libx.so.6!f", "leak:libx.so\n"},
    {true, "main;f@7", "leak:/src/f.c\n"},
    {false, "main;f[int]", "leak:f[abc]\n"},
    {true, "main;f[int]", "leak:f[int]\n"},
    /* Frames are matched from the innermost on */
    {true, "main;f;g", VALGRIND("fun:g\nfun:f\n")},
    {true, "main;f;g", VALGRIND("fun:g\n")},
    {false, "main;f;g", VALGRIND("fun:f\n")},
    {false, "main;f;g", VALGRIND("fun:g\nfun:main\n")},
    {false, "main;f", VALGRIND("fun:f\nfun:main\nfun:start\n")},
    {true, "main;outer/inner", VALGRIND("fun:inner\nfun:outer\nfun:main\n")},
    {true, "main;libx.so.6!f", VALGRIND("obj:*/libx.so*\nfun:main\n")},
    {true, "main;f@7", VALGRIND("src:f.c:7\n")},
    {false, "main;f@7", VALGRIND("src:f.c:8\n")},
    {true, "main;f@7", VALGRIND("src:f.c\n")},
    /* "..." matches any frames */
    {true, "main;a;b;c", VALGRIND("...\nfun:a\n")},
    {true, "main;a;b;a;c", VALGRIND("...\nfun:a\nfun:main\n")},
    {true, "main;c", VALGRIND("fun:c\n...\nfun:main\n")},
    {false, "main;a;b;c", VALGRIND("...\nfun:c\nfun:a\n")},
    {true, "main;a", VALGRIND("fun:?\n...\n")},
    /* The allocation function */
    {true, "main;f", VALGRIND("fun:malloc\nfun:f\nfun:main\n")},
    {true, "main;f", VALGRIND("fun:*alloc*\nfun:f\n")},
    {false, "main;f", VALGRIND("fun:free\nfun:f\n")},
    {false, "main;f", VALGRIND("fun:malloc\n")},
    {true, "main;f;operator new(unsigned long)", VALGRIND("fun:_Znwm\nfun:f\n")},
    {true, "main;f;strdup", VALGRIND("fun:malloc\nfun:strdup\nfun:f\n")},
    /* Mangled names */
    {true, "main;std::map<int>::emplace(int)", VALGRIND("fun:_ZNSt3mapIi*emplace*\n")},
    {false, "main;std::map<int>::insert(int)", VALGRIND("fun:_ZNSt3mapIi*emplace*\n")},
    {true, "main;Table::add(int)", VALGRIND("fun:Table::add\n")},
    {false, "main;f", VALGRIND("fun:_Z*\n")},
    {true, "main;" LONG "::" LONG "2::last(int)", VALGRIND("fun:_ZN300" LONG "301" LONG "2*last*\n")},
    {false, "main;" LONG "::" LONG "2::last(int)", VALGRIND("fun:_ZN300" LONG "301" LONG "2*lost*\n")},
    {true, "main;" LONG LONG "(int)", VALGRIND("fun:" LONG LONG "\n")},
    {false, "main;" LONG LONG "(int)", VALGRIND("fun:" LONG LONG "(\n")},
    /* Rules for other errors are ignored */
    {false, "main;f", "{\n a\n Memcheck:Addr4\n fun:f\n}\n"},
    {false, "main;f", "{\n a\n Memcheck:Param\n write(buf)\n fun:f\n}\n"},
    {true, "main;f", "{\n a\n Memcheck:Cond\n fun:x\n}\n" VALGRIND("fun:f\n")},
};

TEST_EACH(leaks_are_suppressed, cases)
{
    ck_assert_msg(is_suppressed(cases[_i].chain, cases[_i].text) == cases[_i].suppressed, "%s by %s", cases[_i].chain,
                  cases[_i].text);
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

/* ---------------------------------------------------------------- many at once */

#define RULES 300
#define CHAINS 200

/* The elements of a suppression, innermost first: functions, `*`, or NULL for `...`. */
struct rule {
    const char *elements[6];
    int n;
};

/* Compares the N ELEMENTS one by one with CHAIN, which has LENGTH functions, innermost first. */
static bool
matches_slowly(const char *const *elements, int n, const char *const *chain, int length)
{
    if (n == 0)
        return true;
    if (!elements[0])
        return matches_slowly(elements + 1, n - 1, chain, length) ||
               (length > 0 && matches_slowly(elements, n, chain + 1, length - 1));
    return length > 0 && (elements[0][0] == '*' || strcmp(elements[0], chain[0]) == 0) &&
           matches_slowly(elements + 1, n - 1, chain + 1, length - 1);
}

static bool
is_suppressed_slowly(const struct rule *rule, const char *const *chain, int length)
{
    const char *const *rest = rule->elements + 1;
    int n = rule->n - 1, is_new = strcmp(chain[0], "operator new") == 0;

    if (matches_slowly(rule->elements, rule->n, chain, length))
        return true;
    return n > 0 && rule->elements[0] && strchr("*m", rule->elements[0][0]) &&
           matches_slowly(rest, n, chain + is_new, length - is_new);
}

/* For many random suppressions and chains, the first suppression that matches a chain counts it. */
TEST_LOOP(all_suppressions_are_found_at_once, 0, 20)
{
    static const char *const words[] = {"a", "b", "c", "d", "a", "b", "c", "d", "malloc", "*", NULL},
                             *const functions[] = {"a", "b", "c", "d", "operator new"};
    struct mp_suppressions all = {.arena = keep_arena()};
    struct rule rules[RULES];
    uint64_t expected[RULES] = {0}, n_found = 0;
    struct pb *pb = pb_new();
    struct mp_profile *profile;
    struct mp_error error;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    srand((unsigned)_i);
    for (int i = 0; i < RULES; i++) {
        fprintf(out, "{\n n\n Memcheck:Leak\n");
        rules[i].n = 4 + rand() % 3;
        for (int j = 0; j < rules[i].n; j++) {
            const char *word = rules[i].elements[j] = words[rand() % 11];

            fprintf(out, word ? "fun:%s\n" : "...\n", word);
        }
        fprintf(out, "}\n");
    }
    fclose(out);
    for (int i = 0; i < CHAINS; i++) {
        const char *chain[9];
        char path[200] = "main";
        int n = 1 + rand() % 8;

        chain[n] = "main";
        for (int j = n; j-- > 0;) {
            chain[j] = functions[rand() % (j == 0 ? 5 : 4)];
            /* Some are inlined. */
            strcat(strcat(path, rand() % 3 ? ";" : "/"), chain[j]);
        }
        pb_add(pb, path, MP_KIND_SMALL, 1, 10, 0, 0);
        for (int j = 0; j < RULES; j++)
            if (is_suppressed_slowly(&rules[j], chain, n + 1)) {
                expected[j]++;
                n_found++;
                break;
            }
    }
    profile = pb_done(pb);
    mp_profile_set_kept(profile);
    ck_assert_msg(mp_suppressions_parse(&all, text, "test", &error), "%s", error.text);
    keep_profile(mp_suppress(profile, &all));
    for (int i = 0; i < RULES; i++)
        ck_assert_msg(all.list[i].blocks == expected[i], "suppression %d: %d, expected %d", i, (int)all.list[i].blocks,
                      (int)expected[i]);
    ck_assert_uint_gt(n_found, 20);
    free(text);
}
/* SPDX-License-Identifier: MIT */
