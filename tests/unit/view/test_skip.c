#include "tests/unit/tap.h"

#include <stdio.h>
#include <string.h>

#include "reporter/base/name_parts.h"
#include "reporter/graph/node_chain.h"
#include "reporter/view/skip.h"
#include "tests/unit/profile_builder.h"

#define ROUNDS 300u

static struct mp_arena *arena;

static void
set_up(void)
{
    arena = keep_arena();
}

/* Returns "ALLOCS CHAIN\n" for each chain of PROFILE that is shown with SKIP, in the order of the tree, followed by the
 * functions that were skipped, "[a b]". */
static const char *
shown_with(struct mp_profile *profile, const struct mp_skip *skip)
{
    const struct mp_view_options options = {.skip = *skip};
    const struct mp_tree_options whole = {.one_cut = true};
    const struct mp_chain_options chain = {.limit = 0};
    const struct mp_tree *tree = keep_tree(profile, &options, &whole);
    const char *text = "";

    for (uint32_t i = 0; i < tree->n_nodes; i++)
        if (mp_tree_cells(tree, i) > 0)
            text = mp_arena_printf(arena, "%s%u %s\n", text, (unsigned)mp_tree_self(tree, i).allocs,
                                   mp_chain_text(tree, &chain, i, arena));
    text = mp_arena_printf(arena, "%s[", text);
    for (uint32_t i = 0; i < tree->profile->n_skipped; i++)
        text = mp_arena_printf(arena, "%s%s%s", text, i > 0 ? " " : "", tree->profile->skipped[i]);
    return mp_arena_printf(arena, "%s]", text);
}

static const struct mp_skip wrappers = {.wrappers = true};

/* Returns the same for CHAINS. The Nth chain has N allocations. */
static const char *
shown(const char *const chains[], const struct mp_skip *skip)
{
    struct pb *pb = pb_new();

    for (unsigned i = 0; chains[i]; i++)
        pb_add(pb, chains[i], MP_KIND_SMALL, i + 1, (i + 1) * 10, 0, 0);
    return shown_with(pb_done(pb), skip);
}

#define SHOWN(skip, ...) shown((const char *const[]){__VA_ARGS__, NULL}, skip)

FIXTURE(set_up, NULL)

TEST(the_caller_has_what_wrappers_allocate)
{
    ck_assert_str_eq(SHOWN(&wrappers, "main;f;xmalloc", "main;g;xmalloc;rpl_malloc", "main;f;xcalloc",
                           "main;f", "main"),
                     "5 || > main\n8 || > main > f\n2 || > main > g\n[xcalloc xmalloc rpl_malloc]");
    ck_assert_str_eq(SHOWN(&wrappers, "main;f"), "1 || > main > f\n[]");
    ck_assert_str_eq(SHOWN(&(struct mp_skip){0}, "main;f;xmalloc"), "1 || > main > f > xmalloc\n[]");
}

TEST(inlined_wrappers_are_skipped_too)
{
    ck_assert_str_eq(SHOWN(&wrappers, "main/f/xmalloc", "main/f/xmalloc;operator new", "main/f"),
                     "6 || > main > f\n[xmalloc operator new]");
    ck_assert_str_eq(SHOWN(&wrappers, "main;f/std::allocator_traits<A>::allocate/std::__new_allocator<A>"
                                      "::allocate;operator new"),
                     "1 || > main > f\n[operator new std::__new_allocator<...>::allocate "
                     "std::allocator_traits<...>::allocate]");
    ck_assert_str_eq(SHOWN(&wrappers, "main;xmalloc/xrealloc", "main;xmalloc/xrealloc;g"),
                     "1 || > main\n2 || > main > xmalloc > xrealloc > g\n[xmalloc xrealloc]");
}

TEST(only_the_inner_end_of_a_chain_is_skipped)
{
    ck_assert_str_eq(SHOWN(&wrappers, "main;operator new;handler;xmalloc", "main;operator new"),
                     "2 || > main\n1 || > main > operator new > handler\n[operator new xmalloc]");
}

TEST(a_chain_of_wrappers_keeps_the_outermost)
{
    ck_assert_str_eq(SHOWN(&wrappers, "xmalloc;xrealloc"), "1 || > xmalloc\n[xrealloc]");
    ck_assert_str_eq(SHOWN(&wrappers, "xmalloc"), "1 || > xmalloc\n[]");
    ck_assert_str_eq(SHOWN(&wrappers, "xmalloc/xrealloc;malloc"), "1 || > xmalloc\n[malloc xrealloc]");
    ck_assert_str_eq(SHOWN(&wrappers, "#2;xmalloc;malloc"), "1 ... > xmalloc\n[malloc]");
    ck_assert_str_eq(SHOWN(&wrappers, "_start;libc.so.6!__libc_start_main;xmalloc;malloc"),
                     "1 || > xmalloc\n[malloc]");
}

TEST(names_are_known_in_any_form)
{
    ck_assert_str_eq(SHOWN(&wrappers, "main;xmalloc.part.0", "main;f;operator new(unsigned long)",
                           "main;std::__new_allocator<std::pair<int, int> >::allocate",
                           "main;xmalloc_more", "main;lisp:xmalloc"),
                     "4 || > main\n2 || > main > f\n4 || > main > xmalloc_more\n5 || > main > xmalloc\n"
                     "[std::__new_allocator<...>::allocate operator new xmalloc]");
}

TEST(patterns_are_skipped_as_well)
{
    static const char *const patterns[] = {"^pool_", "_alloc$"};
    const struct mp_skip more = {.wrappers = true, .patterns = patterns, .n = 2};
    const struct mp_skip alone = {.patterns = patterns, .n = 2};

    ck_assert_str_eq(SHOWN(&more, "main;f;pool_get;my_alloc;xmalloc", "main;my_pool_get"),
                     "1 || > main > f\n2 || > main > my_pool_get\n[my_alloc pool_get xmalloc]");
    ck_assert_str_eq(SHOWN(&alone, "main;f;my_alloc", "main;my_alloc;xmalloc"),
                     "1 || > main > f\n2 || > main > my_alloc > xmalloc\n[my_alloc]");
}

TEST(what_is_no_pattern_is_refused)
{
    static const char *const patterns[] = {"a", "(b"};
    const struct mp_view_options options = {.skip = {.patterns = patterns, .n = 2}};
    struct mp_profile *profile = pb_example();
    struct mp_error error = {0};

    ck_assert(mp_skip_is_pattern("a+", &error));
    ck_assert(!mp_skip_is_pattern("(b", &error));
    ck_assert_int_eq(error.code, MP_ERR_USAGE);
    ck_assert(strncmp(error.text, "--skip=(b: ", 11) == 0);
    memset(&error, 0, sizeof error);
    ck_assert_ptr_null(mp_view(profile, &options, &error));
    ck_assert_int_eq(error.code, MP_ERR_USAGE);
}

/* ---------------------------------------------------------------- anything */

static const char *const any[] = {"main", "f", "g", "xmalloc", "operator new", "xrealloc"};
enum { ANY = sizeof any / sizeof *any, FIRST_WRAPPER = 3, LONGEST = 6 };

/* Returns the text of a chain of the N functions CHAIN, without the wrappers at its end if CUT is true. */
static const char *
chain_of(const unsigned chain[], unsigned n, bool cut)
{
    const char *text = "";

    while (cut && n > 1 && chain[n - 1] >= FIRST_WRAPPER)
        n--;
    for (unsigned i = 0; i < n; i++)
        text = mp_arena_printf(arena, "%s > %s", text, any[chain[i]]);
    return text;
}

/* The allocations of each shown chain are the sum of the chains that become equal to it without wrappers. No other
 * chain is shown. */
TEST(nothing_is_lost)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct pb *pb = pb_new();
        const char *expected[20], *got, *line;
        unsigned sums[20] = {0}, n_expected = 0, rows = 0;

        srand(round + 1);
        for (unsigned i = 0; i < 20; i++) {
            unsigned chain[LONGEST], n = 1 + (unsigned)rand() % LONGEST, at = 0;
            const char *text = "", *cut;

            for (unsigned j = 0; j < n; j++) {
                chain[j] = (unsigned)rand() % ANY;
                text = mp_arena_printf(arena, "%s%s%s", text, j == 0 ? "" : rand() % 3 ? ";" : "/",
                                       any[chain[j]]);
            }
            pb_add(pb, text, MP_KIND_SMALL, i + 1, (i + 1) * 10, 0, 0);
            cut = chain_of(chain, n, true);
            while (at < n_expected && strcmp(expected[at], cut) != 0)
                at++;
            expected[at] = cut;
            n_expected += at == n_expected;
            sums[at] += i + 1;
        }
        got = shown_with(pb_done(pb), &wrappers);
        for (unsigned i = 0; i < n_expected; i++) {
            line = mp_arena_printf(arena, "\n%u ||%s\n", sums[i], expected[i]);
            ck_assert_msg(strstr(mp_arena_printf(arena, "\n%s", got), line), "no%s in %s", line, got);
        }
        for (const char *c = got; *c; c++)
            rows += *c == '\n';
        ck_assert_uint_eq(rows, n_expected);
    }
}

TEST(the_list_is_in_order)
{
    for (size_t i = 0; mp_wrappers[i]; i++) {
        struct mp_text_part name = {mp_wrappers[i], strlen(mp_wrappers[i])};

        ck_assert_str_eq(mp_name_bare(name, arena), mp_wrappers[i]);
        for (size_t j = 0; j < i; j++)
            ck_assert_str_ne(mp_wrappers[i], mp_wrappers[j]);
    }
}
/* SPDX-License-Identifier: MIT */
