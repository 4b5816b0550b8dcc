#include "chain.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "reporter/base/text.h"

/* Goes along a chain, outwards. */
struct walk {
    const struct mp_tree *tree;
    uint32_t left;              /* functions that may be shown yet */
    uint32_t node;              /* the next one; behind the last: 0 if the chain is complete */
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

/* Mixing step of splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t
mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) + 0x9e3779b97f4a7c15u;
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
    return hash ^ (hash >> 31);
}

uint64_t
mp_chain_hash(const struct mp_tree *tree, const struct mp_chain_options *options, uint32_t node)
{
    struct walk walk = walk_start(tree, options, node);
    uint64_t hash = 0;

    for (; !walk_ends(&walk); walk_on(&walk))
        hash = mix(hash, tree->nodes[walk.node].step);
    return mix(hash, options->bare || walk.node == 0);
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

/* ---------------------------------------------------------------- text */

/* The offset of a return address is negative in a cold part that lies before the function.  It
 * tells call sites of the function that really is at that address; functions inlined into it are
 * told apart by it already. */
static void
print_step(const struct mp_tree *tree, uint32_t node, FILE *out)
{
    const struct mp_profile *profile = tree->profile;
    const struct mp_frame *frame = &profile->frames[tree->nodes[node].frame];
    const struct mp_location *at = &profile->locations[tree->nodes[node].location];
    uint64_t start = profile->functions[at->function].start;

    fputs(profile->functions[at->function].name, out);
    if (tree->options.offsets && !mp_tree_is_inlined(tree, node) && start != 0 &&
        frame->offset != start)
        fprintf(out, "%+" PRId64, (int64_t)(frame->offset - start));
    if (tree->options.lines && at->line > 0)
        fprintf(out, " (%s:%" PRIu32 ")", mp_text_basename(at->file), at->line);
}

static void
print_outside_in(struct walk walk, bool bare, FILE *out)
{
    uint32_t n = 0, *nodes;

    for (struct walk count = walk; !walk_ends(&count); walk_on(&count))
        n++;
    nodes = mp_need(calloc((size_t)n + 1, sizeof *nodes));
    for (uint32_t i = n; i-- > 0; walk_on(&walk))
        nodes[i] = walk.node;
    if (!bare)
        fputs(walk.node == 0 ? "||" : "...", out);
    for (uint32_t i = 0; i < n; i++) {
        if (!bare || i > 0)
            fputs(" > ", out);
        print_step(walk.tree, nodes[i], out);
    }
    free(nodes);
}

static void
print_inside_out(struct walk walk, bool bare, FILE *out)
{
    const char *separator = "";

    for (; !walk_ends(&walk); walk_on(&walk), separator = " < ") {
        fputs(separator, out);
        print_step(walk.tree, walk.node, out);
    }
    if (!bare && walk.node != 0)
        fprintf(out, "%s...", separator);
}

const char *
mp_chain_text(const struct mp_tree *tree, const struct mp_chain_options *options, uint32_t node,
              struct mp_arena *arena)
{
    char *text = NULL, *copy;
    size_t size;
    FILE *stream = mp_need(open_memstream(&text, &size));

    (options->inside_out ? print_inside_out : print_outside_in)(walk_start(tree, options, node),
                                                                options->bare, stream);
    if (fclose(stream) != 0)
        mp_no_memory();
    copy = mp_arena_strdup(arena, text);
    free(text);
    return copy;
}
