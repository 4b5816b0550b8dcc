/* SPDX-License-Identifier: MIT */
#include "changes.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/base/search.h"
#include "reporter/graph/charge.h"
#include "reporter/graph/node_chain.h"
#include "reporter/profile/estimate.h"
#include "reporter/profile/lifetimes.h"
#include "reporter/view/sort.h"

/* ---------------------------------------------------------------- items */

/* Name and number of the item for allocations whose chain is unknown. */
#define NO_CHAIN "[no chain]"
#define ROOT UINT64_MAX

/* Adds an item whose figures are all 0. */
static struct mp_changed *
add_item(struct mp_changes *changes, const char *name, uint32_t id)
{
    struct mp_changed *item;

    changes->list = mp_arena_grow(changes->arena, changes->list, changes->n, &changes->room,
                                  sizeof *changes->list);
    item = &changes->list[changes->n++];
    *item = (struct mp_changed){
        .name = name, .id = id,
        .counts = mp_arena_alloc(changes->arena, changes->join->n_runs * sizeof *item->counts)};
    return item;
}

/* Adds COUNTS of KIND to ITEM. SHORT_BYTES is the number of their short-lived bytes, and is ignored for Lisp objects.
 * */
static void
count(const struct mp_changes *changes, struct mp_changed *item, uint32_t kind, const struct mp_counts *counts,
      uint64_t short_bytes)
{
    const uint32_t run = mp_join_run_of(kind);
    struct mp_short *young = &item->young[changes->join->runs[run].side];

    mp_counts_add(&item->counts[run], counts);
    young->bytes = mp_plus(young->bytes, mp_join_short(kind, counts, short_bytes));
    young->of = mp_plus(young->of, counts->bytes);
}

static void
count_cell(const struct mp_changes *changes, struct mp_changed *item, const struct mp_cell *cell)
{
    const struct mp_counts counts = mp_cell_counts(cell);

    count(changes, item, cell->kind, &counts, mp_lifetimes_short(mp_cell_lifetimes(cell)).bytes);
}

/* Items by a number. An item is created when its number first occurs. */
struct index {
    struct mp_changes *changes;
    struct mp_map numbers;
};

static struct mp_changed *
item_at(struct index *index, uint64_t number, const char *name, uint32_t id)
{
    uint32_t place = mp_map_add_u64(&index->numbers, number);

    return place == index->changes->n ? add_item(index->changes, name, id)
                                      : &index->changes->list[place];
}

/* ---------------------------------------------------------------- functions */

/* Adds an item for what was allocated on chains without functions. */
static void
add_root(struct index *index)
{
    const struct mp_profile *joined = index->changes->join->profile;

    for (uint32_t i = 0; i < joined->n_cells && joined->cells[i].context == 0; i++)
        count_cell(index->changes, item_at(index, ROOT, NO_CHAIN, MP_NO_ID), &joined->cells[i]);
}

/* Returns the cost by node of the tree and by run, including everything below the node. */
static int64_t *
inclusive(const struct mp_changes *changes, struct mp_arena *arena)
{
    const struct mp_tree *tree = changes->tree;
    const uint32_t n = changes->join->n_runs;
    const enum mp_figure figure = mp_sorts[changes->cost].figure;
    int64_t *sums = mp_arena_alloc(arena, (size_t)tree->n_nodes * n * sizeof *sums);

    for (uint32_t i = tree->n_nodes; i-- > 0;) {
        for (uint32_t j = tree->nodes[i].first_cell; j < tree->nodes[i + 1].first_cell; j++) {
            const struct mp_cell *cell = &tree->profile->cells[tree->cells[j]];
            const struct mp_counts counts = mp_cell_counts(cell);
            int64_t *sum = &sums[(size_t)i * n + mp_join_run_of(cell->kind)];

            *sum = mp_plus_signed(*sum, (int64_t)mp_counts_estimate(&counts, figure).value);
        }
        for (uint32_t r = 0; i > 0 && r < n; r++) {
            int64_t *sum = &sums[(size_t)tree->nodes[i].parent * n + r];

            *sum = mp_plus_signed(*sum, sums[(size_t)i * n + r]);
        }
    }
    return sums;
}

/* State of a walk through the tree, in which each function counts once for each chain. */
struct walk {
    const struct mp_tree *tree;
    struct mp_tree_children children;
    uint32_t *next;             /* by node: index of its next child */
    uint32_t *open;             /* by function: how often it occurs on the current chain */
    const int64_t *sums;
    int64_t *within;            /* by function and run */
    uint32_t n_runs;
};

static void
enter(struct walk *w, uint32_t node)
{
    uint32_t function = mp_tree_function(w->tree, node);

    w->next[node] = w->children.first[node];
    if (w->open[function]++ > 0)
        return;
    for (uint32_t r = 0; r < w->n_runs; r++) {
        int64_t *to = &w->within[(size_t)function * w->n_runs + r];

        *to = mp_plus_signed(*to, w->sums[(size_t)node * w->n_runs + r]);
    }
}

static void
go_through(struct walk *w)
{
    uint32_t node = 0;

    w->next[0] = w->children.first[0];
    for (;;) {
        if (w->next[node] < w->children.first[node + 1]) {
            node = w->children.list[w->next[node]++];
            enter(w, node);
            continue;
        }
        if (node == 0)
            return;
        w->open[mp_tree_function(w->tree, node)]--;
        node = w->tree->nodes[node].parent;
    }
}

/* Sets `within` of all functions. */
static void
set_within(struct mp_changes *changes)
{
    struct mp_arena *arena = mp_arena_new();
    const struct mp_tree *tree = changes->tree;
    const uint32_t n = changes->join->n_runs;
    struct walk w = {.tree = tree, .children = mp_tree_children(tree, arena), .n_runs = n,
                     .next = mp_arena_alloc(arena, tree->n_nodes * sizeof *w.next),
                     .open = mp_arena_alloc(arena, tree->profile->n_functions * sizeof *w.open),
                     .within = mp_arena_alloc(arena, (size_t)tree->profile->n_functions * n * sizeof *w.within)};

    w.sums = inclusive(changes, arena);
    go_through(&w);
    for (uint32_t i = 0; i < changes->n; i++)
        if (changes->list[i].id != MP_NO_ID)
            changes->list[i].within =
                mp_difference(changes->join, &w.within[(size_t)changes->list[i].id * n], NULL, MP_FIGURE_BYTES);
    mp_arena_free(arena);
}

static void
collect_functions(struct index *index)
{
    const struct mp_profile *joined = index->changes->join->profile;
    const struct mp_charge_options wanted = {.by_kind = true, .raw = index->changes->join->options.raw};
    struct mp_arena *arena = mp_arena_new();
    const struct mp_charges charges = mp_charge(joined, &wanted, arena);

    for (uint32_t i = 0; i < charges.n; i++) {
        const struct mp_charge *charge = &charges.list[i];
        struct mp_changed *item =
            item_at(index, charge->function, joined->functions[charge->function].text, charge->function);

        count(index->changes, item, charge->kind, &charge->counts, charge->short_bytes);
    }
    mp_arena_free(arena);
    add_root(index);
    set_within(index->changes);
}

/* ---------------------------------------------------------------- chains */

struct same_chain {
    const struct mp_changes *changes;
    struct mp_chain_options options;
    uint32_t node;
};

static bool
is_same_chain(const void *data, uint32_t id)
{
    const struct same_chain *sought = data;

    return mp_chain_equal(sought->changes->tree, &sought->options, sought->changes->list[id].id, sought->node);
}

static void
collect_chains(struct index *index)
{
    struct mp_changes *changes = index->changes;
    const struct mp_tree *tree = changes->tree;
    struct same_chain sought = {.changes = changes, .options = {.limit = changes->chain}};

    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        uint32_t place;

        if (mp_tree_cells(tree, i) == 0)
            continue;
        sought.node = i;
        place = mp_map_add_hashed(&index->numbers, mp_chain_hash(tree, &sought.options, i), is_same_chain, &sought);
        if (place == changes->n)
            add_item(changes, i > 0 ? "" : NO_CHAIN, i);
        for (uint32_t j = tree->nodes[i].first_cell; j < tree->nodes[i + 1].first_cell; j++)
            count_cell(changes, &changes->list[place], &tree->profile->cells[tree->cells[j]]);
    }
}

/* ---------------------------------------------------------------- types, modules, sizes */

static const char *
type_name(const struct mp_profile *joined, uint32_t kind)
{
    const struct mp_object_kind *known = mp_profile_kind(joined, kind);

    return known ? known->name : kind < MP_KIND_C_COUNT ? "malloc" : "[other types]";
}

static void
collect_types(struct index *index)
{
    const struct mp_profile *joined = index->changes->join->profile;

    for (uint32_t i = 0; i < joined->n_cells; i++) {
        uint32_t kind = mp_join_kind_of(joined->cells[i].kind);
        struct mp_changed *item = item_at(index, kind < MP_KIND_C_COUNT ? 0 : kind,
                                          type_name(joined, kind), MP_NO_ID);

        count_cell(index->changes, item, &joined->cells[i]);
    }
}

static void
collect_modules(struct index *index)
{
    const struct mp_join *join = index->changes->join;

    for (uint32_t r = 0; r < join->n_runs; r++) {
        for (uint32_t i = 0; i < join->runs[r].n_modules; i++) {
            const struct mp_join_module *of = &join->runs[r].modules[i];
            const char *name = of->module == MP_NO_ID ? "[no module]" : join->profile->modules[of->module].name;

            mp_counts_add(&item_at(index, of->module, name, MP_NO_ID)->counts[r], &of->counts);
        }
    }
    add_root(index);
}

static const char *
size_name(struct mp_changes *changes, uint32_t bin)
{
    const char *name = mp_bin_name(bin);

    return name ? name : mp_arena_printf(changes->arena, "%u", (unsigned)bin);
}

static void
collect_sizes(struct index *index)
{
    const struct mp_join *join = index->changes->join;

    for (uint32_t bin = 0; bin < MP_CELL_BINS; bin++) {
        for (uint32_t r = 0; r < join->n_runs; r++) {
            const struct mp_counts *counts = &join->runs[r].bins[bin];

            if (counts->allocs > 0 || counts->frees > 0)
                mp_counts_add(&item_at(index, bin, size_name(index->changes, bin), bin)->counts[r], counts);
        }
    }
}

/* Fills the list with the items by CHANGES->by and their figures in each run. */
static void
collect_items(struct mp_changes *changes)
{
    static void (*const collect[MP_CHANGES_BY])(struct index *) = {
        [MP_BY_FUNCTION] = collect_functions, [MP_BY_CHAIN] = collect_chains, [MP_BY_TYPE] = collect_types,
        [MP_BY_MODULE] = collect_modules, [MP_BY_SIZE] = collect_sizes};
    const struct mp_tree_options wanted = {.all_frames = true, .one_cut = true};
    struct mp_arena *arena = mp_arena_new();
    struct index index = {.changes = changes, .numbers.arena = arena};

    if (changes->by == MP_BY_FUNCTION || changes->by == MP_BY_CHAIN)
        changes->tree = mp_tree_build(changes->join->profile, &wanted);
    collect[changes->by](&index);
    mp_arena_free(arena);
}

/* ---------------------------------------------------------------- names */

const char *const mp_changes_names[MP_CHANGES_BY] = {
    [MP_BY_FUNCTION] = "function", [MP_BY_CHAIN] = "chain", [MP_BY_TYPE] = "type", [MP_BY_MODULE] = "module",
    [MP_BY_SIZE] = "size",
};

const char *
mp_changes_name(struct mp_changes *changes, const struct mp_changed *item)
{
    const struct mp_chain_options chain = {.limit = changes->chain};

    return item->name[0] ? item->name : mp_chain_text(changes->tree, &chain, item->id, changes->arena);
}

/* ---------------------------------------------------------------- figures */

static bool
is_on(const struct mp_changes *changes, const struct mp_changed *item, enum mp_side side)
{
    for (uint32_t i = 0; i < changes->join->n_runs; i++)
        if (changes->join->runs[i].side == side && mp_counts_any(&item->counts[i]))
            return true;
    return false;
}

static enum mp_became
became(const struct mp_changes *changes, const struct mp_changed *item)
{
    if (item->cost.change == 0)
        return MP_SAME;
    if (!is_on(changes, item, MP_BEFORE))
        return MP_NEW;
    if (!is_on(changes, item, MP_AFTER))
        return MP_GONE;
    return item->cost.change > 0 ? MP_GROWN : MP_SHRUNK;
}

static void
compute(const struct mp_changes *changes, struct mp_changed *item)
{
    item->cost = mp_difference_of(changes->join, item->counts, mp_sorts[changes->cost].figure);
    item->other = mp_difference_of(changes->join, item->counts, mp_other_figure(changes->cost));
    item->became = became(changes, item);
}

static void
sum_up(struct mp_changes *changes)
{
    struct mp_changed *total = &changes->total;

    total->name = "";
    total->counts = mp_arena_alloc(changes->arena, changes->join->n_runs * sizeof *total->counts);
    for (uint32_t i = 0; i < changes->n; i++)
        for (uint32_t r = 0; r < changes->join->n_runs; r++)
            mp_counts_add(&total->counts[r], &changes->list[i].counts[r]);
    compute(changes, total);
}

/* ---------------------------------------------------------------- order */

static int
compare_figures(const struct mp_changed *x, const struct mp_changed *y)
{
    uint64_t left = mp_change_size(x->cost.change), right = mp_change_size(y->cost.change);

    if ((left == 0) != (right == 0))
        return left == 0 ? 1 : -1;
    if (x->cost.certain != y->cost.certain)
        return x->cost.certain ? -1 : 1;
    if (left != right)
        return mp_order(right, left);
    left = mp_change_size(x->other.change);
    right = mp_change_size(y->other.change);
    return mp_order(right, left);
}

static int
compare_names(const struct mp_changed *x, const struct mp_changed *y)
{
    int order = strcmp(x->name, y->name);

    return order ? order : mp_order(x->id, y->id);
}

static int
compare_items(const void *a, const void *b)
{
    const int order = compare_figures(a, b);

    return order ? order : compare_names(a, b);
}

/* A chain and the text that mp_changes_name() created for it. */
struct named {
    const char *name;
    struct mp_changed item;
};

static int
compare_named(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    return order ? order : compare_names(&x->item, &y->item);
}

static void
order_by_name(struct mp_changes *changes, struct mp_changed *list, uint32_t n)
{
    struct named *named = mp_need(malloc(n * sizeof *named));

    for (uint32_t i = 0; i < n; i++)
        named[i] = (struct named){mp_changes_name(changes, &list[i]), list[i]};
    qsort(named, n, sizeof *named, compare_named);
    for (uint32_t i = 0; i < n; i++)
        list[i] = named[i].item;
    free(named);
}

/* Sorts chains with equal figures by text. Their ids depend on which side was read first, and the order must not. */
static void
order_chains(struct mp_changes *changes)
{
    for (uint32_t i = 0, next; i < changes->n_changed; i = next) {
        for (next = i + 1; next < changes->n_changed; next++)
            if (compare_figures(&changes->list[i], &changes->list[next]) != 0)
                break;
        if (next > i + 1)
            order_by_name(changes, &changes->list[i], next - i);
    }
}

/* ---------------------------------------------------------------- the whole */

struct mp_changes *
mp_changes_new(const struct mp_join *join, enum mp_changes_by by, enum mp_sort cost, uint32_t chain)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_changes *changes = mp_arena_alloc(arena, sizeof *changes);

    *changes = (struct mp_changes){.join = join, .by = by, .cost = cost, .chain = chain, .arena = arena};
    collect_items(changes);
    for (uint32_t i = 0; i < changes->n; i++)
        compute(changes, &changes->list[i]);
    sum_up(changes);
    if (changes->n > 0)
        qsort(changes->list, changes->n, sizeof *changes->list, compare_items);
    while (changes->n_changed < changes->n && changes->list[changes->n_changed].cost.change != 0)
        changes->n_changed++;
    if (by == MP_BY_CHAIN)
        order_chains(changes);
    return changes;
}

void
mp_changes_free(struct mp_changes *changes)
{
    if (!changes)
        return;
    mp_tree_free(changes->tree);
    mp_arena_free(changes->arena);
}
