#include "order_tree.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/base/sorted.h"
#include "reporter/profile/cells.h"

/* ---------------------------------------------------------------- contexts and cells */

static uint32_t
frame_of(const struct mp_orderer *o, uint32_t frame)
{
    return frame & MP_MERGE_LABEL ? o->to->processes->labels[o->label_to[frame & ~MP_MERGE_LABEL]]
                                  : o->frame_to[frame];
}

/* Returns the contexts, without the root, sorted by frame with a counting sort. */
static uint32_t *
contexts_by_frame(struct mp_orderer *o)
{
    const struct mp_merge_tree *tree = &o->merge->tree;
    uint32_t n = o->to->n_frames;
    uint32_t *first = mp_arena_alloc(o->arena, (n + (size_t)2) * sizeof *first);
    uint32_t *list = mp_arena_alloc(o->arena, tree->n_contexts * sizeof *list);

    for (uint32_t i = 1; i < tree->n_contexts; i++)
        first[frame_of(o, tree->contexts[i].frame) + 1]++;
    for (uint32_t i = 0; i < n; i++)
        first[i + 1] += first[i];
    for (uint32_t i = 1; i < tree->n_contexts; i++)
        list[first[frame_of(o, tree->contexts[i].frame)]++] = i;
    return list;
}

/* Orders the contexts, callers first, callees of one caller by frame. */
static void
order_contexts(struct mp_orderer *o)
{
    const struct mp_merge_tree *tree = &o->merge->tree;
    uint32_t n = tree->n_contexts, *list = contexts_by_frame(o), at = 0, next = 0;
    uint32_t *child = mp_arena_alloc(o->arena, n * sizeof *child);      /* first child; 0: none */
    uint32_t *sibling = mp_arena_alloc(o->arena, n * sizeof *sibling);

    for (uint32_t i = n - 1; i-- > 0;) {
        uint32_t parent = tree->contexts[list[i]].parent;

        sibling[list[i]] = child[parent];
        child[parent] = list[i];
    }
    o->context_to = mp_arena_alloc(o->arena, n * sizeof *o->context_to);
    o->to->contexts = mp_arena_alloc(o->to->arena, n * sizeof *o->to->contexts);
    o->to->contexts[0].frame = MP_NO_ID;
    while (next + 1 < n) {
        while (child[at] == 0)
            at = tree->contexts[at].parent;
        o->context_to[child[at]] = ++next;
        o->to->contexts[next] = (struct mp_context){
            .parent = o->context_to[at], .frame = frame_of(o, tree->contexts[child[at]].frame)};
        at = child[at];
        child[tree->contexts[at].parent] = sibling[at];
    }
    o->to->n_contexts = n;
}

/* Sorts the cells in place, because they take most of the memory. */
static void
order_cells(struct mp_orderer *o)
{
    struct mp_merge_tree *tree = &o->merge->tree;

    for (uint32_t i = 0; i < tree->n_cells; i++) {
        struct mp_cell *cell = &tree->cells[i];

        cell->context = o->context_to[cell->context];
        if (mp_is_lisp(cell))
            cell->kind = o->kind_to[cell->kind - MP_KIND_LISP];
    }
    if (tree->n_cells > 0)
        qsort(tree->cells, tree->n_cells, sizeof *tree->cells, mp_cell_compare);
    o->to->cells = tree->cells;
    o->to->n_cells = tree->n_cells;
}

static int
compare_numbers(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static void
order_forms(struct mp_orderer *o)
{
    const struct mp_map *forms = &o->merge->tree.form_keys;
    uint32_t n = 0;

    o->to->forms = mp_arena_alloc(o->to->arena, forms->count * sizeof *o->to->forms);
    for (uint32_t i = 0; i < forms->count; i++)
        if (o->context_to[forms->numbers[i]] != 0)
            o->to->forms[n++] = o->context_to[forms->numbers[i]];
    o->to->n_forms = n;
    if (n > 0)
        qsort(o->to->forms, n, sizeof *o->to->forms, compare_numbers);
}

static int
compare_stacks(const void *a, const void *b)
{
    const struct mp_stack *x = a, *y = b;

    return mp_order(x->context, y->context);
}

static void
order_stacks(struct mp_orderer *o)
{
    const struct mp_merge_tree *tree = &o->merge->tree;
    uint32_t n = tree->stack_keys.count;

    o->to->stacks = mp_arena_alloc(o->to->arena, n * sizeof *o->to->stacks);
    o->to->n_stacks = n;
    for (uint32_t i = 0; i < n; i++) {
        o->to->stacks[i] = tree->stacks[i];
        o->to->stacks[i].context = o->context_to[tree->stacks[i].context];
    }
    if (n > 0)
        qsort(o->to->stacks, n, sizeof *o->to->stacks, compare_stacks);
}

static int
compare_bad_frees(const void *a, const void *b)
{
    const struct mp_bad_free *x = a, *y = b;

    return x->kind != y->kind ? mp_order(x->kind, y->kind)
                              : mp_order(x->context, y->context);
}

/* Adds up places of one kind whose chains are the same but for their labels. The first one stands for all. */
static void
join_bad_frees(struct mp_orderer *o, struct mp_bad_frees *frees)
{
    const struct mp_profile *to = o->to;
    uint32_t *key = mp_arena_alloc(o->arena, (to->n_contexts + (size_t)1) * sizeof *key);
    struct mp_map chains = {.arena = o->arena};

    for (uint32_t i = 0; i < frees->n; i++) {
        const struct mp_bad_free place = frees->places[i];
        const uint32_t known = chains.count;
        uint32_t length = 0, id;

        key[length++] = place.kind;
        for (uint32_t at = place.context; at != 0; at = to->contexts[at].parent)
            if (!to->frames[to->contexts[at].frame].label)
                key[length++] = to->contexts[at].frame;
        id = mp_map_add(&chains, key, length * sizeof *key);
        if (id == known)
            frees->places[id] = place;
        else
            frees->places[id].count = mp_plus(frees->places[id].count, place.count);
    }
    frees->n = chains.count;
}

static void
order_bad_frees(struct mp_orderer *o)
{
    const struct mp_merge_tree *tree = &o->merge->tree;
    struct mp_bad_frees *to = mp_arena_alloc(o->to->arena, sizeof *to);
    uint64_t any = o->merge->sentinel;

    *to = (struct mp_bad_frees){.of = o->to, .sentinel = o->merge->sentinel, .n = tree->bad_free_keys.count};
    to->places = mp_arena_alloc(o->to->arena, to->n * sizeof *to->places);
    for (unsigned kind = 0; kind < MP_BAD_FREES; kind++)
        any |= to->counts[kind] = o->merge->bad_frees[kind];
    for (uint32_t i = 0; i < to->n; i++) {
        to->places[i] = tree->bad_frees[i];
        to->places[i].context = o->context_to[tree->bad_frees[i].context];
    }
    if (to->n > 0)
        qsort(to->places, to->n, sizeof *to->places, compare_bad_frees);
    join_bad_frees(o, to);
    o->to->bad_frees = any ? to : NULL;
}

void
mp_order_tree(struct mp_orderer *o)
{
    order_contexts(o);
    order_cells(o);
    order_forms(o);
    order_stacks(o);
    order_bad_frees(o);
}

/* ---------------------------------------------------------------- bins */

struct type {
    uint32_t size, rank, string;
};

static int
compare_types(const void *a, const void *b)
{
    const struct type *x = a, *y = b;

    return x->size != y->size ? mp_order(x->size, y->size) : mp_order(x->rank, y->rank);
}

void
mp_order_bins(struct mp_orderer *o)
{
    const struct mp_map *types = &o->merge->types;
    struct type *list = mp_arena_alloc(o->arena, (types->count + (size_t)1) * sizeof *list);

    for (uint32_t i = 0; i < types->count; i++) {
        uint32_t string = (uint32_t)types->numbers[i];

        list[i] = (struct type){(uint32_t)(types->numbers[i] >> 32), mp_order_rank(o, string), string};
    }
    if (types->count > 0)
        qsort(list, types->count, sizeof *list, compare_types);
    memcpy(o->to->bins, o->merge->bins, sizeof o->to->bins);
    o->to->types = mp_arena_alloc(o->to->arena, types->count * sizeof *o->to->types);
    o->to->n_types = types->count;
    for (uint32_t i = 0; i < types->count; i++) {
        struct mp_bin *bin = &o->to->bins[list[i].size];

        o->to->types[i] = mp_order_text(o, list[i].string);
        if (bin->n_types++ == 0)
            bin->first_type = i;
    }
}
