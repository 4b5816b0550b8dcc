#include "sqlite_sums.h"

struct walk {
    const struct mp_tree *tree;
    const struct mp_counts *inclusive;  /* by node */
    struct mp_sqlite_sums sums;
    uint32_t *above;                    /* by function: how often it is on the current chain */
};

static void
enter(struct walk *walk, uint32_t node)
{
    uint32_t function = mp_tree_function(walk->tree, node);
    struct mp_counts self = mp_tree_self(walk->tree, node);

    walk->sums.seen[function] = true;
    mp_counts_add(&walk->sums.direct[function], &self);
    if (walk->above[function]++ == 0)
        mp_counts_add(&walk->sums.inclusive[function], &walk->inclusive[node]);
}

/* Visits all nodes. Chains may be as deep as any stack, so the walk returns by parents instead of recursing. */
static void
walk_all(struct walk *walk, struct mp_arena *arena)
{
    const struct mp_tree *tree = walk->tree;
    const struct mp_tree_children children = mp_tree_children(tree, arena);
    uint32_t *next = mp_arena_alloc(arena, tree->n_nodes * sizeof *next);
    uint32_t node = 0;

    for (uint32_t i = 0; i < tree->n_nodes; i++)
        next[i] = children.first[i];
    for (;;) {
        if (next[node] < children.first[node + 1]) {
            node = children.list[next[node]++];
            enter(walk, node);
        } else if (node == 0) {
            return;
        } else {
            walk->above[mp_tree_function(tree, node)]--;
            node = tree->nodes[node].parent;
        }
    }
}

struct mp_sqlite_sums
mp_sqlite_sums(const struct mp_tree *tree, struct mp_arena *arena)
{
    uint32_t n = tree->profile->n_functions;
    struct walk walk = {
        .tree = tree, .inclusive = mp_tree_inclusive(tree, arena),
        .sums = {mp_arena_alloc(arena, n * sizeof *walk.sums.direct),
                 mp_arena_alloc(arena, n * sizeof *walk.sums.inclusive),
                 mp_arena_alloc(arena, n * sizeof *walk.sums.seen)},
        .above = mp_arena_alloc(arena, n * sizeof *walk.above)};

    walk_all(&walk, arena);
    return walk.sums;
}
