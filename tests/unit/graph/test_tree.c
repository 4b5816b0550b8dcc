#include "tests/unit/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/golden.h"
#include "tests/unit/profile_builder.h"

enum { SMALL = MP_KIND_SMALL, MEDIUM = MP_KIND_MEDIUM };

static const struct mp_tree_options functions;

static struct mp_tree *
tree_of(const struct mp_profile *profile, struct mp_tree_options options)
{
    const struct mp_view_options view = {.all_frames = options.all_frames};

    return keep_tree(profile, &view, &options);
}

/* Returns "f<parent kind:allocs,bytes ...|all allocs" for each node except the root, in the order of the nodes. */
static const char *
text_of(const struct mp_tree *tree)
{
    const struct mp_counts *all = mp_tree_inclusive(tree, keep_arena());
    char *text;
    FILE *out = golden_stream(&text);

    for (uint32_t i = 1; i < tree->n_nodes; i++) {
        struct mp_tree_part part = {.node = i};

        fprintf(out, "%s%s<%u", tree->profile->functions[mp_tree_function(tree, i)].text,
                mp_tree_is_inlined(tree, i) ? "^" : "", tree->nodes[i].parent);
        while (mp_tree_next(tree, &part))
            fprintf(out, " %u:%u,%u", part.kind, (unsigned)part.counts.allocs,
                    (unsigned)part.counts.bytes);
        fprintf(out, "|%u\n", (unsigned)all[i].allocs);
    }
    return golden_close(out, &text);
}

#define MAIN "_start;libc.so.6!__libc_start_main;libc.so.6!__libc_start_call_main;main"
#define WIDGETS                                                                                    \
    {{MAIN ";make_red_widget;make_widget", MEDIUM, 5019, 1023876, 0, 0},                           \
     {MAIN ";make_blue_widget;make_widget", MEDIUM, 4981, 1016124, 0, 0}}
#define CALLS                                                                                      \
    {{"main+8@1;f", MEDIUM, 1, 100, 0, 0}, {"main+8@1;f", SMALL, 2, 8, 0, 0},                      \
     {"main+16@1;f", SMALL, 4, 8, 0, 0}, {"main+24@2;f;g", SMALL, 8, 8, 0, 0}}

static const struct {
    const char *name;
    struct pb_row rows[5];
    struct mp_tree_options options;
    const char *text;
} cases[] = {
    {"start-up is left out", WIDGETS, {0},
     "main<0|10000\nmake_red_widget<1|5019\nmake_widget<2 1:5019,1023876|5019\n"
     "make_blue_widget<1|4981\nmake_widget<4 1:4981,1016124|4981\n"},
    {"start-up is requested", WIDGETS, {.all_frames = true},
     "_start<0|10000\n__libc_start_main<1|10000\n__libc_start_call_main<2|10000\nmain<3|10000\n"
     "make_red_widget<4|5019\nmake_widget<5 1:5019,1023876|5019\n"
     "make_blue_widget<4|4981\nmake_widget<7 1:4981,1016124|4981\n"},
    {"what start-up allocates itself is a chain of its own",
     {{"_start;libc.so.6!__libc_start_main", SMALL, 3, 30, 0, 0},
      {"_start;libc.so.6!__libc_start_main;main", SMALL, 2, 20, 0, 0}}, {0},
     "__libc_start_main<0 0:3,30|3\nmain<0 0:2,20|2\n"},
    {"contexts with the same functions are one node", CALLS, {0},
     "main<0|15\nf<1 0:6,16 1:1,100|15\ng<2 0:8,8|8\n"},
    {"lines tell them apart", CALLS, {.lines = true},
     "main<0|7\nf<1 0:6,16 1:1,100|7\nmain<0|8\nf<3|8\ng<4 0:8,8|8\n"},
    {"offsets tell them apart", CALLS, {.offsets = true},
     "main<0|3\nf<1 0:2,8 1:1,100|3\nmain<0|4\nf<3 0:4,8|4\nmain<0|8\nf<5|8\ng<6 0:8,8|8\n"},
    {"each context can have nodes of its own", {{"main;f+8", SMALL, 1, 8, 0, 0}, {"main;f+16", SMALL, 2, 16, 0, 0}},
     {.calls = true}, "main<0|3\nf<1 0:1,8|1\nf<1 0:2,16|2\n"},
    {"inlined calls are nodes",
     {{"main;f/g/h", SMALL, 1, 8, 0, 0}, {"main;f/g", SMALL, 2, 8, 0, 0}, {"main;f;g", SMALL, 4, 8, 0, 0}}, {0},
     "main<0|7\nf<1|7\ng^<2 0:6,16|7\nh^<3 0:1,8|1\n"},
    {"a cut chain begins with its mark", {{"#2;f", SMALL, 1, 8, 0, 0}, {"f", SMALL, 2, 8, 0, 0}}, {0},
     "<mark 2><0|1\nf<1 0:1,8|1\nf<0 0:2,8|2\n"},
};

TEST_CASES(trees, cases)
{
    ck_assert_str_eq(text_of(tree_of(pb_done(pb_of(cases[_i].rows)), cases[_i].options)), cases[_i].text);
}

TEST(what_nothing_was_counted_on_is_no_node)
{
    const struct mp_view_options lisp = {.lisp_only = true};
    struct pb *pb = PB_OF({"main;f;g", SMALL, 2, 8, 0, 0});

    pb_kind(pb, MP_KIND_LISP, MP_KIND_LISP, "CONS", 'c');
    pb_objects(pb, "main;lisp:FOO", MP_KIND_LISP, 1, 16);
    ck_assert_str_eq(text_of(keep_tree(pb_done(pb), &lisp, &functions)), "main<0|1\nFOO<1 16:1,16|1\n");
}

TEST(focus_keeps_the_chains_through_one_function)
{
    struct mp_profile *profile = pb_example();
    struct mp_view_options red = {.focus = "make_red_widget"};
    const struct mp_tree *tree = keep_tree(profile, &red, &functions);
    struct mp_error error;

    ck_assert_uint_eq(tree->n_nodes, 4);
    ck_assert_uint_eq(mp_tree_self(tree, 3).allocs, 5019);
    red.focus = "make_green_widget";
    ck_assert_ptr_null(mp_tree_new(profile, &red, &functions, &error));
    ck_assert_int_eq(error.code, MP_ERR_FUNCTION);
}

TEST(an_empty_profile_is_a_root)
{
    const struct mp_tree *tree = tree_of(keep_profile(mp_profile_new()), functions);

    ck_assert_uint_eq(tree->n_nodes, 1);
    ck_assert_uint_eq(mp_tree_self(tree, 0).allocs, 0);
}

/* ---------------------------------------------------------------- any profile */

static const char *
random_element(void)
{
    static const char *const elements[] = {
        "_start", "libc.so.6!start_thread", "main", "f+8@1", "f+16@1", "f/g", "g", "h/f/g", "#2",
        "lisp:FOO", "lisp:BAR", "builtin:MAPCAR", "runtime:cl_eval", "interp:BAZ"};

    return elements[(size_t)random() % (sizeof elements / sizeof *elements)];
}

static struct mp_profile *
random_profile(unsigned seed)
{
    struct pb *pb = pb_new();

    srandom(seed);
    pb_kind(pb, MP_KIND_LISP, MP_KIND_LISP, "CONS", 'c');
    for (int i = 0; i < 40; i++) {
        uint64_t n = 1 + (uint64_t)random() % 100;
        char chain[512] = "";

        for (long depth = 1 + random() % 8; depth > 0; depth--) {
            strcat(chain, random_element());
            strcat(chain, depth > 1 ? ";" : "");
        }
        if (random() % 2)
            pb_add(pb, chain, (uint32_t)random() % 2, n, 8 * n, n / 2, 8 * (n / 2));
        else
            pb_objects(pb, chain, MP_KIND_LISP, n, 16 * n)->rest->counts.survived[0] += n / 3;
    }
    return pb_done(pb);
}

static void
assert_sums(const struct mp_tree *tree, const struct mp_counts *all)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_counts *inclusive = mp_tree_inclusive(tree, arena);
    struct mp_counts *sum = mp_arena_alloc(arena, tree->n_nodes * sizeof *sum);

    ck_assert_mem_eq(&inclusive[0], all, sizeof *all);
    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        const struct mp_counts self = mp_tree_self(tree, i);
        struct mp_tree_part part = {.node = i};
        struct mp_counts parts = {0};
        uint32_t last = 0;

        for (bool first = true; mp_tree_next(tree, &part); first = false, last = part.kind) {
            ck_assert(first || part.kind > last);
            mp_counts_add(&parts, &part.counts);
        }
        ck_assert_mem_eq(&parts, &self, sizeof self);
        mp_counts_add(&sum[i], &self);
        if (i == 0)
            continue;
        ck_assert_uint_lt(tree->nodes[i].parent, i);
        ck_assert(mp_counts_any(&inclusive[i]));
        mp_counts_add(&sum[tree->nodes[i].parent], &inclusive[i]);
    }
    ck_assert_mem_eq(inclusive, sum, tree->n_nodes * sizeof *sum);
    mp_arena_free(arena);
}

/* Checks that no two children of a node have the same function. */
static void
assert_merged(const struct mp_tree *tree)
{
    for (uint32_t i = 1; i < tree->n_nodes; i++)
        for (uint32_t j = 1; j < i; j++)
            ck_assert(tree->nodes[i].parent != tree->nodes[j].parent ||
                      mp_tree_function(tree, i) != mp_tree_function(tree, j));
}

TEST_LOOP(sums_are_those_of_the_profile, 0, 50)
{
    struct mp_profile *profile = random_profile((unsigned)_i);
    struct mp_totals totals;

    mp_profile_totals(profile, &totals);
    for (unsigned bits = 0; bits < 32; bits++) {
        const struct mp_tree_options options = {.lines = bits & 1, .offsets = bits & 2,
                                                .calls = bits & 4, .all_frames = bits & 8};
        const struct mp_view_options view = {
            .frames = (enum mp_frames)(bits % 4), .lisp_only = bits & 16,
            .all_frames = options.all_frames};
        struct mp_tree *tree = mp_tree_new(profile, &view, &options, NULL);

        assert_sums(tree, view.lisp_only ? &totals.lisp : &totals.all);
        if (!options.lines && !options.offsets && !options.calls)
            assert_merged(tree);
        mp_tree_free(tree);
    }
}
/* SPDX-License-Identifier: MIT */
