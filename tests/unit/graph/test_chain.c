/* In random profiles, two nodes have the same shortened chain exactly if its text is the same. If chains are not
 * shortened, all nodes have different ones. */
#include "tests/unit/tap.h"

#include <stdio.h>
#include <string.h>

#include "reporter/graph/node_chain.h"
#include "tests/unit/profile_builder.h"

#define PROFILES 200
#define CHAINS 40
#define LONGEST 6

/* Appends a random frame of one or two functions, at one of several offsets or lines, to TEXT. */
static size_t
add_frame(char *text, unsigned short seed[3])
{
    static const char *const places[] = {"", "+8", "+12", "@3", "@4"};
    int outer = 'a' + (int)(nrand48(seed) % 3), inner = 'a' + (int)(nrand48(seed) % 3);
    const char *place = places[nrand48(seed) % 5];

    if (nrand48(seed) % 3 > 0)
        return (size_t)sprintf(text, "%c%s", outer, place);
    return (size_t)sprintf(text, "%c/%c%s", outer, inner, place);
}

static struct mp_profile *
random_profile(int number)
{
    unsigned short seed[3] = {1988, 2, (unsigned short)number};
    struct pb *pb = pb_new();

    for (int c = 0; c < CHAINS; c++) {
        char text[16 * LONGEST] = "";
        size_t length =
            nrand48(seed) % 4 ? 0 : (size_t)sprintf(text, "#%ld;", 1 + nrand48(seed) % 3);

        for (long left = 1 + nrand48(seed) % LONGEST; left > 0; left--) {
            length += add_frame(text + length, seed);
            if (left > 1)
                length += (size_t)sprintf(text + length, ";");
        }
        pb_add(pb, text, MP_KIND_SMALL, 1, 8, 0, 0);
    }
    return pb_done(pb);
}

static void
compare_all(const struct mp_tree *tree, const struct mp_chain_options *options)
{
    struct mp_arena *arena = mp_arena_new();
    const char **texts = mp_arena_alloc(arena, tree->n_nodes * sizeof *texts);

    for (uint32_t a = 0; a < tree->n_nodes; a++) {
        texts[a] = mp_chain_text(tree, options, a, arena);
        for (uint32_t b = 0; b < a; b++) {
            bool same = strcmp(texts[a], texts[b]) == 0;

            ck_assert_int_eq(mp_chain_equal(tree, options, a, b), same);
            if (same)
                ck_assert_uint_eq(mp_chain_hash(tree, options, a), mp_chain_hash(tree, options, b));
            ck_assert(!same || options->limit > 0 || options->bare);
        }
    }
    mp_arena_free(arena);
}

TEST_LOOP(one_text_is_one_chain, 0, PROFILES)
{
    struct mp_profile *profile = random_profile(_i);
    const struct mp_tree_options wanted = {
        .offsets = _i & 1, .lines = _i & 2, .all_frames = _i & 4, .one_cut = true};
    struct mp_tree *tree = mp_tree_build(profile, &wanted);

    for (uint32_t limit = 0; limit < LONGEST; limit++)
        compare_all(tree, &(struct mp_chain_options){
                              .limit = limit, .bare = _i & 8, .inside_out = _i & 16});
    mp_tree_free(tree);
}

static void
must_read(const struct mp_tree *tree, struct mp_chain_options options, const char *text)
{
    struct mp_arena *arena = mp_arena_new();

    ck_assert_str_eq(mp_chain_text(tree, &options, tree->n_nodes - 1, arena), text);
    mp_arena_free(arena);
}

/* Compares the text of the last node of a whole chain and of one that was cut. */
TEST(a_chain_reads)
{
    const struct mp_tree_options wanted = {.lines = true, .one_cut = true};
    struct pb *pb = pb_new();
    struct mp_profile *profile;
    struct mp_tree *tree;

    pb_add(pb, "#1;x", MP_KIND_SMALL, 1, 8, 0, 0);
    pb_add(pb, "#2;x", MP_KIND_SMALL, 1, 8, 0, 0);
    profile = pb_done(pb);
    tree = mp_tree_build(profile, &wanted);
    ck_assert_uint_eq(tree->n_nodes, 3);
    must_read(tree, (struct mp_chain_options){0}, "... > x");
    must_read(tree, (struct mp_chain_options){.inside_out = true}, "x < ...");
    must_read(tree, (struct mp_chain_options){.bare = true}, "x");
    mp_tree_free(tree);

    pb = pb_new();
    pb_add(pb, "_start;main@3;f/g@4", MP_KIND_SMALL, 1, 8, 0, 0);
    profile = pb_done(pb);
    tree = mp_tree_build(profile, &wanted);
    must_read(tree, (struct mp_chain_options){0}, "|| > main (main.c:3) > f > g (g.c:4)");
    must_read(tree, (struct mp_chain_options){.limit = 2}, "... > f > g (g.c:4)");
    must_read(tree, (struct mp_chain_options){.limit = 3, .inside_out = true},
              "g (g.c:4) < f < main (main.c:3)");
    must_read(tree, (struct mp_chain_options){.limit = 1, .bare = true}, "g (g.c:4)");
    mp_tree_free(tree);
}
/* SPDX-License-Identifier: MIT */
