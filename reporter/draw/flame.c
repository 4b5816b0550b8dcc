/* SPDX-License-Identifier: MIT */
/*
 * The list of boxes is also the work queue. Each box in turn appends its children to the list. Normally a box has the
 * children of its tree node. In reverse mode, a box owns a range of the list of chains. Its chains advance to their
 * next callers, are sorted by caller within the range, and each caller becomes a child.
 */
#include "flame.h"

#include <stdlib.h>

#include "reporter/base/search.h"

/* A chain in reverse mode. */
struct walker {
    uint32_t from;              /* node that allocated */
    uint32_t at;                /* current node; 0 after the end of the chain */
};

struct maker {
    struct mp_flame *flame;
    const struct mp_tree *tree;
    const struct mp_flame_options *options;
    uint64_t *self, *whole;     /* by node: cost of the node itself, and including its callees */
    uint64_t *less, *whole_less;        /* by node: the part of self and whole that shrank */
    struct mp_tree_children children;   /* used unless in reverse mode */
    struct walker *walkers;
    uint32_t n_walkers;
    struct mp_flame_box *list;  /* children of one box */
    uint32_t n, room;
    struct mp_arena *arena;     /* for temporary data */
};

/* ---------------------------------------------------------------- figures */

static void
count(struct maker *m)
{
    const struct mp_tree *tree = m->tree;

    m->self = mp_arena_alloc(m->arena, tree->n_nodes * sizeof *m->self);
    m->whole = mp_arena_alloc(m->arena, tree->n_nodes * sizeof *m->whole);
    m->less = mp_arena_alloc(m->arena, tree->n_nodes * sizeof *m->less);
    m->whole_less = mp_arena_alloc(m->arena, tree->n_nodes * sizeof *m->whole_less);
    for (uint32_t i = tree->n_nodes; i-- > 0;) {
        const struct mp_counts self = mp_tree_self(tree, i);
        const uint32_t parent = tree->nodes[i].parent;

        m->self[i] = mp_counts_key(&self, m->options->cost);
        m->less[i] = m->flame->change && (int64_t)self.kept < 0 ? m->self[i] : 0;
        m->whole[i] = mp_plus(m->whole[i], m->self[i]);
        m->whole_less[i] = mp_plus(m->whole_less[i], m->less[i]);
        if (i == 0)
            break;
        m->whole[parent] = mp_plus(m->whole[parent], m->whole[i]);
        m->whole_less[parent] = mp_plus(m->whole_less[parent], m->whole_less[i]);
    }
}

static void
list_walkers(struct maker *m)
{
    const struct mp_tree *tree = m->tree;

    m->walkers = mp_arena_alloc(m->arena, tree->n_nodes * sizeof *m->walkers);
    m->n_walkers = 0;
    for (uint32_t i = 1; i < tree->n_nodes; i++)
        if (m->self[i] > 0)
            m->walkers[m->n_walkers++] = (struct walker){i, i};
}

/* ---------------------------------------------------------------- children of a box */

static struct mp_flame_box *
add(struct maker *m, const struct mp_flame_box *box)
{
    m->list = mp_arena_grow(m->arena, m->list, m->n, &m->room, sizeof *m->list);
    m->list[m->n] = *box;
    return &m->list[m->n++];
}

static void
list_inwards(struct maker *m, const struct mp_flame_box *of)
{
    for (uint32_t i = m->children.first[of->node]; i < m->children.first[of->node + 1]; i++) {
        uint32_t node = m->children.list[i];

        if (m->whole[node] > 0)
            add(m, &(struct mp_flame_box){.node = node, .value = m->whole[node], .n = 1,
                                          .self = m->self[node], .less = m->whole_less[node],
                                          .inlined = mp_tree_is_inlined(m->tree, node),
                                          .tail = mp_tree_is_tail(m->tree, node)});
    }
}

static uint32_t
function_at(const struct mp_tree *tree, const struct walker *walker)
{
    return walker->at == 0 ? MP_NO_ID : mp_tree_function(tree, walker->at);
}

/* Sorts walkers by function. Chains that have ended come last. */
static int
compare_walkers(const void *a, const void *b, void *data)
{
    const struct walker *x = a, *y = b;
    uint32_t left = function_at(data, x), right = function_at(data, y);

    if (left != right)
        return mp_order(left, right);
    return mp_order(x->from, y->from);
}

/* Returns true if the walker's current function has a caller. */
static bool
goes_on(const struct maker *m, const struct walker *walker)
{
    return m->tree->nodes[walker->at].parent != 0;
}

/* Adds the box of the chains from FIRST on that are at the same function. Returns the index after the last one. */
static uint32_t
group(struct maker *m, uint32_t first, uint32_t end)
{
    const struct walker *walkers = m->walkers;
    uint32_t function = function_at(m->tree, &walkers[first]), i = first;
    struct mp_flame_box *box = add(
        m, &(struct mp_flame_box){.node = walkers[first].at, .n = 1, .inlined = true, .tail = true,
                                  .first = first});

    for (; i < end && function_at(m->tree, &walkers[i]) == function; i++) {
        box->value = mp_plus(box->value, m->self[walkers[i].from]);
        box->less = mp_plus(box->less, m->less[walkers[i].from]);
        if (!goes_on(m, &walkers[i]))
            box->self = mp_plus(box->self, m->self[walkers[i].from]);
        box->inlined &= mp_tree_is_inlined(m->tree, walkers[i].at);
        box->tail &= mp_tree_is_tail(m->tree, walkers[i].at);
    }
    box->end = i;
    return i;
}

static void
list_outwards(struct maker *m, const struct mp_flame_box *of)
{
    uint32_t i = of->first;

    for (uint32_t j = of->first; j < of->end && of->level > 0; j++)
        m->walkers[j].at = m->tree->nodes[m->walkers[j].at].parent;
    qsort_r(m->walkers + of->first, of->end - of->first, sizeof *m->walkers, compare_walkers,
            (void *)m->tree);
    while (i < of->end && m->walkers[i].at != 0)
        i = group(m, i, of->end);
}

/* ---------------------------------------------------------------- boxes */

static int
compare_boxes(const void *a, const void *b)
{
    const struct mp_flame_box *x = a, *y = b;

    if (x->value != y->value)
        return mp_order(y->value, x->value);
    return mp_order(x->node, y->node);
}

static void
put(struct mp_flame *flame, const struct mp_flame_box *box)
{
    flame->boxes = mp_arena_grow(flame->arena, flame->boxes, flame->n_boxes, &flame->room,
                                 sizeof *flame->boxes);
    flame->boxes[flame->n_boxes++] = *box;
    if (flame->levels <= box->level)
        flame->levels = box->level + 1;
}

/* Places the children in m->list below box OF, widest first. Merges the narrowest into one box at the end. */
static void
place(struct maker *m, struct mp_flame_box of)
{
    struct mp_flame *flame = m->flame;
    struct mp_flame_box rest = {.level = of.level + 1, .node = MP_NO_ID};
    uint64_t at = of.at, left = of.value;

    if (m->n > 0)
        qsort(m->list, m->n, sizeof *m->list, compare_boxes);
    for (uint32_t i = 0; i < m->n; i++) {
        struct mp_flame_box *box = &m->list[i];

        if (box->value > left)          /* the sums of a damaged file are saturated */
            box->value = left;
        left -= box->value;
        if (box->value < flame->least) {
            rest.n++;
            rest.value += box->value;
            rest.less = mp_plus(rest.less, box->less);
            continue;
        }
        box->level = of.level + 1;
        box->at = at;
        at += box->value;
        put(flame, box);
    }
    flame->n_merged += rest.n;
    flame->merged = mp_plus(flame->merged, rest.value);
    rest.at = at;
    if (rest.value >= flame->least)
        put(flame, &rest);
}

static void
put_root(struct maker *m)
{
    struct mp_flame_box root = {.value = m->whole[0], .self = m->self[0], .less = m->whole_less[0], .n = 1};

    if (m->options->reverse) {
        list_walkers(m);
        root.end = m->n_walkers;
    }
    put(m->flame, &root);
}

/* Creates all boxes. Returns false if there are too many. */
static bool
put_all(struct maker *m)
{
    struct mp_flame *flame = m->flame;
    uint32_t most = m->options->most > 0 ? m->options->most : MP_FLAME_BOXES;

    put_root(m);
    for (uint32_t i = 0; i < flame->n_boxes; i++) {
        const struct mp_flame_box box = flame->boxes[i];

        if (box.node == MP_NO_ID || box.value <= box.self)
            continue;
        if (box.level == MP_FLAME_LEVELS) {
            flame->cut = mp_plus(flame->cut, box.value - box.self);
            continue;
        }
        m->n = 0;
        if (m->options->reverse)
            list_outwards(m, &box);
        else
            list_inwards(m, &box);
        place(m, box);
        if (flame->n_boxes > most)
            return false;
    }
    return true;
}

struct mp_flame *
mp_flame_new(const struct mp_tree *tree, const struct mp_flame_options *options)
{
    struct mp_arena *arena = mp_arena_new(), *scratch = mp_arena_new();
    struct mp_flame *flame = mp_arena_alloc(arena, sizeof *flame);
    struct maker m = {.flame = flame, .tree = tree, .options = options, .arena = scratch};
    uint64_t halves = 2 * (uint64_t)options->width;

    *flame = (struct mp_flame){
        .tree = tree, .arena = arena,
        .change = options->cost == MP_SORT_KEPT && mp_window_is_growth(tree->profile->window)};
    count(&m);
    if (!options->reverse)
        m.children = mp_tree_children(tree, scratch);
    flame->least = m.whole[0] / halves + (m.whole[0] % halves != 0);
    while (!put_all(&m)) {
        flame->n_boxes = flame->levels = 0;
        flame->n_merged = flame->merged = flame->cut = 0;
        flame->least *= 2;
    }
    mp_arena_free(scratch);
    return flame;
}

void
mp_flame_free(struct mp_flame *flame)
{
    if (flame)
        mp_arena_free(flame->arena);
}
