/* SPDX-License-Identifier: MIT */
#include "node_chain.h"

#include <inttypes.h>
#include <string.h>

#include "reporter/base/text.h"

/* A position on a chain, which moves outwards. */
struct walk {
    const struct mp_tree *tree;
    uint32_t left;              /* number of functions that may still be shown */
    uint32_t node;              /* the next node; 0 after the last one if the chain is complete */
};

static struct walk
walk_start(const struct mp_tree *tree, const struct mp_chain_options *options, uint32_t node)
{
    return (struct walk){tree, options->limit > 0 ? options->limit : UINT32_MAX, node};
}

static bool
walk_ends(const struct walk *walk)
{
    return walk->left == 0 || mp_tree_ends(walk->tree, walk->node);
}

static void
walk_on(struct walk *walk)
{
    walk->node = walk->tree->nodes[walk->node].parent;
    walk->left--;
}

uint64_t
mp_chain_hash(const struct mp_tree *tree, const struct mp_chain_options *options, uint32_t node)
{
    struct walk walk = walk_start(tree, options, node);
    uint64_t hash = 0;

    for (; !walk_ends(&walk); walk_on(&walk))
        hash = ((hash ^ hash >> 32) + tree->nodes[walk.node].step + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return hash + (options->bare || walk.node == 0);
}

bool
mp_chain_equal(const struct mp_tree *tree, const struct mp_chain_options *options, uint32_t a,
               uint32_t b)
{
    struct walk x = walk_start(tree, options, a), y = walk_start(tree, options, b);

    for (; x.node != y.node && !walk_ends(&x) && !walk_ends(&y); walk_on(&x), walk_on(&y))
        if (tree->nodes[x.node].step != tree->nodes[y.node].step)
            return false;
    if (x.node == y.node)
        return true;
    return walk_ends(&x) && walk_ends(&y) && (options->bare || (x.node == 0) == (y.node == 0));
}

/* ---------------------------------------------------------------- calls */

/* The offset of a return address is negative if it is in a cold part located before the function. Offsets
 * distinguish call sites only of the function that contains the address. Functions inlined into it have no
 * offsets of their own. */
struct mp_call
mp_chain_call(const struct mp_tree *tree, uint32_t node)
{
    const struct mp_profile *profile = tree->profile;
    const struct mp_location *at = &profile->locations[tree->nodes[node].location];
    uint64_t start = profile->functions[at->function].start;
    struct mp_call call = {
        .function = at->function, .file = at->file, .inlined = mp_tree_is_inlined(tree, node),
        .tail = mp_tree_is_tail(tree, node)};

    if (tree->options.offsets && !call.inlined && start != 0)
        call.offset = (int64_t)(profile->frames[tree->nodes[node].frame].offset - start);
    if (tree->options.lines)
        call.line = at->line;
    return call;
}

static uint32_t
walk_length(struct walk walk)
{
    uint32_t n = 0;

    for (; !walk_ends(&walk); walk_on(&walk))
        n++;
    return n;
}

const struct mp_calls *
mp_chain_calls(const struct mp_tree *tree, const struct mp_chain_options *options, uint32_t node,
               struct mp_arena *arena)
{
    struct walk walk = walk_start(tree, options, node);
    struct mp_calls *calls = mp_arena_alloc(arena, sizeof *calls);
    uint32_t left = calls->n = walk_length(walk);
    struct mp_call *list = mp_arena_alloc(arena, left * sizeof *list);

    for (; !walk_ends(&walk); walk_on(&walk))
        list[--left] = mp_chain_call(tree, walk.node);
    calls->profile = tree->profile;
    calls->list = list;
    calls->whole = walk.node == 0;
    return calls;
}

/* ---------------------------------------------------------------- text */

static const char *
step_text(const struct mp_tree *tree, uint32_t node, struct mp_arena *arena)
{
    const struct mp_call call = mp_chain_call(tree, node);
    const struct mp_function *function = &tree->profile->functions[call.function];
    const char *text = function->text;

    if (call.line > 0 && function->lisp > 0)
        text = tree->profile->names[function->lisp - 1].name;   /* without the line of its definition */
    if (call.offset != 0)
        text = mp_arena_printf(arena, "%s%+" PRId64, text, call.offset);
    if (call.line > 0)
        text = mp_arena_printf(arena, "%s (%s:%" PRIu32 ")", text, mp_tree_file(tree, node), call.line);
    return call.tail ? mp_arena_printf(arena, "%s" MP_TAIL_NOTE, text) : text;
}

/* Writes the words of WALK backwards, so that they end before END. Returns the first one. The caller reserves
 * the space before END. */
static const char **
put_outside_in(struct walk walk, bool bare, const char **end, struct mp_arena *arena)
{
    const char **to = end;

    for (; !walk_ends(&walk); walk_on(&walk)) {
        *--to = step_text(walk.tree, walk.node, arena);
        *--to = ">";
    }
    if (bare)
        return to < end ? to + 1 : to;
    *--to = walk.node == 0 ? "||" : "...";
    return to;
}

static void
put_inside_out(struct walk walk, bool bare, const char **to, struct mp_arena *arena)
{
    const char **first = to;

    for (; !walk_ends(&walk); walk_on(&walk)) {
        if (to > first)
            *to++ = "<";
        *to++ = step_text(walk.tree, walk.node, arena);
    }
    if (bare || walk.node == 0)
        return;
    if (to > first)
        *to++ = "<";
    *to = "...";
}

const char *const *
mp_chain_words(const struct mp_tree *tree, const struct mp_chain_options *options, uint32_t node,
               struct mp_arena *arena)
{
    const struct walk walk = walk_start(tree, options, node);
    const size_t n = walk_length(walk);
    const char **words = mp_arena_alloc(arena, (2 * n + 2) * sizeof *words);

    if (!options->inside_out)
        return put_outside_in(walk, options->bare, words + 2 * n + 1, arena);
    put_inside_out(walk, options->bare, words, arena);
    return words;
}

const char *
mp_chain_text(const struct mp_tree *tree, const struct mp_chain_options *options, uint32_t node,
              struct mp_arena *arena)
{
    const char *const *words = mp_chain_words(tree, options, node, arena);
    size_t size = 1;
    char *text, *to;

    for (size_t i = 0; words[i]; i++)
        size += strlen(words[i]) + 1;
    text = to = mp_arena_alloc(arena, size);
    for (size_t i = 0; words[i]; i++)
        to = mp_text_put(mp_text_put(to, text + size, i > 0 ? " " : ""), text + size, words[i]);
    return text;
}
