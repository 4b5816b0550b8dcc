/* SPDX-License-Identifier: MIT */
#include "lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/base/search.h"
#include "reporter/graph/bins.h"
#include "reporter/graph/charge.h"
#include "reporter/view/threads.h"

/* ---------------------------------------------------------------- counting */

/* Temporary data while a sample is added. */
struct taking {
    struct mp_tally *tally;
    const struct mp_tree *tree;
    const struct mp_tally_options *options;
    uint32_t *functions;                /* item of each function of the view */
    struct mp_tally_figures *own, *within;      /* figures of each node */
    struct mp_arena *arena;             /* temporary memory */
};

static const char nowhere[] = "[no call chain]";

/* ---------------------------------------------------------------- figures */

static struct mp_tally_figures
figures_of(const struct mp_counts *counts)
{
    return (struct mp_tally_figures){.live = mp_tally_grown(counts->bytes, counts->freed),
                                     .blocks = mp_tally_grown(counts->allocs, counts->frees),
                                     .allocs = counts->allocs, .bytes = counts->bytes};
}

static void
add(struct mp_tally_figures *to, const struct mp_tally_figures *from)
{
    to->live = mp_plus(to->live, from->live);
    to->blocks = mp_plus(to->blocks, from->blocks);
    to->allocs = mp_plus(to->allocs, from->allocs);
    to->bytes = mp_plus(to->bytes, from->bytes);
}

/* ---------------------------------------------------------------- items */

struct mp_tally *
mp_tally_new(void)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_tally *tally = mp_arena_alloc(arena, sizeof *tally);

    tally->arena = arena;
    for (unsigned i = 0; i < MP_BYS; i++)
        tally->lists[i].keys.arena = arena;
    return tally;
}

void
mp_tally_free(struct mp_tally *tally)
{
    if (tally)
        mp_arena_free(tally->arena);
}

/* Returns the item with ID. Adds it if ID is the next free one. */
static struct mp_tally_item *
item_at(struct mp_tally *tally, enum mp_by by, uint32_t id)
{
    struct mp_tally_list *list = &tally->lists[by];

    if (id == list->n) {
        list->items = mp_arena_grow(tally->arena, list->items, id, &list->room, sizeof *list->items);
        list->items[list->n++] =
            (struct mp_tally_item){.name = "", .parent = MP_NO_ID, .function = MP_NO_ID};
    }
    return &list->items[id];
}

/* Returns the item with ID after setting its name to NAME. */
static struct mp_tally_item *
item_called(struct mp_tally *tally, enum mp_by by, uint32_t id, const char *name)
{
    struct mp_tally_item *item = item_at(tally, by, id);

    if (strcmp(item->name, name) != 0)
        item->name = mp_arena_strdup(tally->arena, name);
    return item;
}

/* Returns the item called NAME in a list that is indexed by name. Adds it if it is new. */
static struct mp_tally_item *
item_named(struct mp_tally *tally, enum mp_by by, const char *name)
{
    return item_called(tally, by, mp_map_add(&tally->lists[by].keys, name, strlen(name)), name);
}

/* Adds COUNTS to the item called NAME in a list without callers, where own and within are the same. */
static void
add_flat(struct taking *t, enum mp_by by, const char *name, const struct mp_counts *counts)
{
    struct mp_tally_figures figures = figures_of(counts);
    struct mp_tally_item *item = item_named(t->tally, by, name);

    add(&item->own, &figures);
    add(&item->within, &figures);
}

/* Makes the current figures the previous ones and clears the current ones. */
static void
turn_over(struct mp_tally *tally)
{
    tally->all_before = tally->all;
    tally->all = (struct mp_tally_figures){0};
    for (unsigned by = 0; by < MP_BYS; by++)
        for (uint32_t i = 0; i < tally->lists[by].n; i++) {
            struct mp_tally_item *item = &tally->lists[by].items[i];

            item->own_before = item->own;
            item->within_before = item->within;
            item->own = item->within = (struct mp_tally_figures){0};
        }
}

/* ---------------------------------------------------------------- functions */

/* Returns the item of FUNCTION. Its key does not contain the display name, which changes when another function of
 * that name appears. */
static uint32_t
function_item(struct taking *t, const struct mp_function *function)
{
    const struct mp_profile *view = t->tree->profile;
    const char *plain = mp_function_name(function);
    const char *file = function->file ? function->file : "";
    const char *module = function->module < view->n_modules ? view->modules[function->module].path : "";
    const char *key = mp_arena_printf(t->arena, "%s\n%s\n%s\n%" PRIx64, plain, module, file,
                                      function->start);
    uint32_t id = mp_map_add(&t->tally->lists[MP_BY_FUNCTION].keys, key, strlen(key));

    item_called(t->tally, MP_BY_FUNCTION, id, function->text);
    return id;
}

static void
find_functions(struct taking *t)
{
    const struct mp_profile *view = t->tree->profile;

    t->functions = mp_arena_alloc(t->arena, view->n_functions * sizeof *t->functions);
    for (uint32_t i = 0; i < view->n_functions; i++)
        t->functions[i] = function_item(t, &view->functions[i]);
}

static void
charge_functions(struct taking *t)
{
    const struct mp_charge_options options = {.raw = t->options->raw};
    struct mp_charges charges = mp_charge(t->tree->profile, &options, t->arena);

    for (uint32_t i = 0; i < charges.n; i++) {
        struct mp_tally_figures figures = figures_of(&charges.list[i].counts);

        add(&t->tally->lists[MP_BY_FUNCTION].items[t->functions[charges.list[i].function]].own,
            &figures);
    }
}

/* ---------------------------------------------------------------- the tree */

static void
sum_nodes(struct taking *t)
{
    const struct mp_tree *tree = t->tree;

    t->own = mp_arena_alloc(t->arena, tree->n_nodes * sizeof *t->own);
    t->within = mp_arena_alloc(t->arena, tree->n_nodes * sizeof *t->within);
    for (uint32_t i = tree->n_nodes; i-- > 0;) {
        struct mp_counts self = mp_tree_self(tree, i);

        t->own[i] = figures_of(&self);
        add(&t->within[i], &t->own[i]);
        if (i > 0)
            add(&t->within[tree->nodes[i].parent], &t->within[i]);
    }
    t->tally->all = t->within[0];
}

static void
take_tree(struct taking *t)
{
    struct mp_tally_list *list = &t->tally->lists[MP_BY_TREE];
    uint32_t *items = mp_arena_alloc(t->arena, t->tree->n_nodes * sizeof *items);

    items[0] = MP_NO_ID;
    for (uint32_t i = 1; i < t->tree->n_nodes; i++) {
        uint32_t function = t->functions[mp_tree_function(t->tree, i)];
        uint32_t parent = items[t->tree->nodes[i].parent];
        struct mp_tally_item *item;

        items[i] = mp_map_add_u64(&list->keys, (uint64_t)parent << 32 | function);
        item = item_at(t->tally, MP_BY_TREE, items[i]);
        item->name = t->tally->lists[MP_BY_FUNCTION].items[function].name;
        item->parent = parent;
        item->function = function;
        add(&item->own, &t->own[i]);
        add(&item->within, &t->within[i]);
    }
}

/* Adds what has no known call chain to all lists with chains. */
static void
take_root(struct taking *t)
{
    static const enum mp_by lists[] = {MP_BY_FUNCTION, MP_BY_TREE};
    uint32_t function = MP_NO_ID;

    if (t->own[0].allocs == 0)
        return;
    for (unsigned i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct mp_map *keys = &t->tally->lists[lists[i]].keys;
        uint32_t id = lists[i] == MP_BY_TREE
                          ? mp_map_add_u64(keys, (uint64_t)MP_NO_ID << 32 | function)
                          : mp_map_add(keys, nowhere, strlen(nowhere));
        struct mp_tally_item *item = item_called(t->tally, lists[i], id, nowhere);

        if (lists[i] == MP_BY_FUNCTION)
            function = id;
        else
            item->function = function;
        add(&item->own, &t->own[0]);
        add(&item->within, &t->own[0]);
    }
}

/* State of a depth-first walk through the tree. */
struct walk {
    uint32_t *child, *sibling;  /* first child and next sibling of each node, or 0 */
    uint32_t *depth;            /* for each function of the view, how often it is on the path to the current node */
};

static struct walk
begin_walk(const struct taking *t)
{
    const struct mp_tree *tree = t->tree;
    struct walk walk;

    walk.child = mp_arena_alloc(t->arena, tree->n_nodes * sizeof *walk.child);
    walk.sibling = mp_arena_alloc(t->arena, tree->n_nodes * sizeof *walk.sibling);
    walk.depth = mp_arena_alloc(t->arena, tree->profile->n_functions * sizeof *walk.depth);
    for (uint32_t i = tree->n_nodes; i-- > 1;) {
        uint32_t parent = tree->nodes[i].parent;

        walk.sibling[i] = walk.child[parent];
        walk.child[parent] = i;
    }
    return walk;
}

/* Returns the node after NODE in preorder, or 0 at the end. */
static uint32_t
next_node(const struct taking *t, const struct walk *walk, uint32_t node)
{
    if (walk->child[node])
        return walk->child[node];
    for (; node > 0; node = t->tree->nodes[node].parent) {
        walk->depth[mp_tree_function(t->tree, node)]--;
        if (walk->sibling[node])
            return walk->sibling[node];
    }
    return 0;
}

/* Adds up what was allocated while each function ran. Only its outermost call on a chain counts, so recursion is
 * counted once. */
static void
take_within(struct taking *t)
{
    struct walk walk = begin_walk(t);

    for (uint32_t i = walk.child[0]; i > 0; i = next_node(t, &walk, i)) {
        uint32_t function = mp_tree_function(t->tree, i);

        if (walk.depth[function]++ == 0)
            add(&t->tally->lists[MP_BY_FUNCTION].items[t->functions[function]].within,
                &t->within[i]);
    }
}

/* ---------------------------------------------------------------- types and threads */

/* Returns the name of a size, for example "204 bytes: widget, gadget". */
static const char *
name_of_size(const struct taking *t, unsigned bin)
{
    const struct mp_profile *view = t->tree->profile;
    const struct mp_bin *of = &view->bins[bin];
    const char *name;

    if (bin >= MP_BINS)
        return mp_arena_printf(t->arena, "several sizes, %s", mp_size_class_name(bin - MP_BINS));
    if (bin == MP_BIN_LARGE)
        return mp_arena_printf(t->arena, "more than %u bytes", MP_BIN_LARGE - 1);
    name = mp_arena_printf(t->arena, "%u byte%s", bin, bin == 1 ? "" : "s");
    for (uint32_t i = 0; i < of->n_types; i++)
        name = mp_arena_printf(t->arena, "%s%s%s", name, i == 0 ? ": " : ", ",
                               view->types[of->first_type + i]);
    return name;
}

static struct mp_counts
counts_of_size(const struct mp_profile *view, unsigned bin)
{
    const struct mp_bin *of = &view->bins[bin];
    struct mp_counts counts = {.frees = of->frees, .freed = of->freed};

    if (view->cell_bins)
        return view->cell_bins[bin];
    if (view->bin_counts)
        counts = view->bin_counts[bin];
    counts.allocs = of->allocs;
    counts.bytes = of->bytes;
    return counts;
}

/* Adds the figures of sizes. The key of an item is its size, because its name changes when more types are found. */
static void
take_sizes(struct taking *t)
{
    const struct mp_profile *view = t->tree->profile;
    struct mp_map *keys = &t->tally->lists[MP_BY_TYPE].keys;

    for (unsigned bin = 0; bin < (view->cell_bins ? MP_CELL_BINS : MP_BINS); bin++) {
        const struct mp_counts counts = counts_of_size(view, bin);
        struct mp_tally_figures figures = figures_of(&counts);
        struct mp_tally_item *item;

        if (!mp_counts_any(&counts))
            continue;
        item = item_called(t->tally, MP_BY_TYPE, mp_map_add(keys, &bin, sizeof bin),
                           name_of_size(t, bin));
        add(&item->own, &figures);
        add(&item->within, &figures);
    }
}

static void
take_types(struct taking *t)
{
    const struct mp_profile *view = t->tree->profile;
    bool c = false;

    for (uint32_t i = 0; i < view->n_cells; i++) {
        const struct mp_cell *cell = &view->cells[i];
        const struct mp_object_kind *kind = mp_profile_kind(view, cell->kind);
        const struct mp_counts counts = mp_cell_counts(cell);

        c |= !mp_is_lisp(cell);
        if (mp_is_lisp(cell))
            add_flat(t, MP_BY_TYPE, kind ? kind->name : "[unknown type]", &counts);
    }
    if (c)
        take_sizes(t);
}

static void
take_threads(struct taking *t)
{
    const struct mp_profile *view = t->tree->profile;
    const char **names = mp_thread_names(view, t->arena);

    for (uint32_t i = 0; i < view->n_cells; i++) {
        const char *name = names[view->cells[i].context];
        const struct mp_counts counts = mp_cell_counts(&view->cells[i]);

        add_flat(t, MP_BY_THREAD, name ? name : nowhere, &counts);
    }
}

void
mp_tally_take(struct mp_tally *tally, const struct mp_tree *tree,
              const struct mp_tally_options *options, uint64_t time)
{
    struct taking t = {.tally = tally, .tree = tree, .options = options, .arena = mp_arena_new()};
    bool first = tally->lists[MP_BY_TREE].n == 0 && tally->time == 0;

    turn_over(tally);
    find_functions(&t);
    sum_nodes(&t);
    charge_functions(&t);
    take_tree(&t);
    take_root(&t);
    take_within(&t);
    take_types(&t);
    take_threads(&t);
    tally->seconds = first || time <= tally->time ? 0 : (double)(time - tally->time) / 1e9;
    tally->time = time;
    mp_arena_free(t.arena);
}

/* ---------------------------------------------------------------- lines */

const char *const mp_line_sorts[MP_LINE_SORTS] = {
    [MP_LINES_LIVE] = "live", [MP_LINES_BLOCKS] = "blocks", [MP_LINES_ALLOCS] = "allocs",
    [MP_LINES_BYTES] = "bytes", [MP_LINES_NAME] = "name",
};

const char *const mp_bys[MP_BYS] = {
    [MP_BY_FUNCTION] = "function", [MP_BY_SITE] = "site", [MP_BY_TYPE] = "type",
    [MP_BY_THREAD] = "thread", [MP_BY_TREE] = "tree",
};

/* ---------------------------------------------------------------- figures and names */

const struct mp_tally_figures *
mp_lines_figures(const struct mp_lines_options *options, const struct mp_tally_item *item,
                 bool before)
{
    if (options->by == MP_BY_TREE || (options->by == MP_BY_FUNCTION && options->within))
        return before ? &item->within_before : &item->within;
    return before ? &item->own_before : &item->own;
}

uint64_t
mp_lines_allocs(const struct mp_lines_options *options, const struct mp_tally_item *item)
{
    return mp_tally_grown(mp_lines_figures(options, item, false)->allocs,
                          options->totals ? 0 : mp_lines_figures(options, item, true)->allocs);
}

uint64_t
mp_lines_bytes(const struct mp_lines_options *options, const struct mp_tally_item *item)
{
    return mp_tally_grown(mp_lines_figures(options, item, false)->bytes,
                          options->totals ? 0 : mp_lines_figures(options, item, true)->bytes);
}

const char *
mp_lines_name(const struct mp_tally *tally, enum mp_by by, uint32_t item, unsigned callers,
              struct mp_arena *arena)
{
    const struct mp_tally_list *list = mp_tally_of(tally, by);
    const char *name = list->items[item].name;

    if (by != MP_BY_SITE)
        return name;
    for (item = list->items[item].parent; item != MP_NO_ID && callers-- > 0;
         item = list->items[item].parent)
        name = mp_arena_printf(arena, "%s < %s", name, list->items[item].name);
    return item == MP_NO_ID ? name : mp_arena_printf(arena, "%s < ...", name);
}

/* ---------------------------------------------------------------- selection */

struct work {
    const struct mp_tally *tally;
    const struct mp_lines_options *options;
    const struct mp_tally_list *list;
    bool *shown;                /* for each item, whether options select it */
    bool *closed;               /* for each item of the tree, whether a collapsed caller hides it */
    bool *calls;                /* for each item of the tree, whether a selected item is below it */
    struct mp_screen_lines lines;
    struct mp_arena *arena;     /* temporary memory */
};

static bool *
match_names(const struct work *w, const struct mp_tally_list *list)
{
    bool *matched = mp_arena_alloc(w->arena, list->n * sizeof *matched);

    for (uint32_t i = 0; i < list->n; i++)
        matched[i] = mp_pattern_matches(w->options->only, list->items[i].name);
    return matched;
}

/* Returns for each item whether a function on its chain matches. */
static bool *
match_chains(const struct work *w)
{
    const bool *functions = match_names(w, &w->tally->lists[MP_BY_FUNCTION]);
    bool *matched = mp_arena_alloc(w->arena, w->list->n * sizeof *matched);

    for (uint32_t i = 0; i < w->list->n; i++) {
        const struct mp_tally_item *item = &w->list->items[i];

        matched[i] = functions[item->function] || (item->parent != MP_NO_ID && matched[item->parent]);
    }
    return matched;
}

static bool
has_chains(enum mp_by by)
{
    return by == MP_BY_SITE || by == MP_BY_TREE;
}

static void
find_shown(struct work *w)
{
    const bool *matched = NULL;

    if (w->options->only)
        matched = has_chains(w->options->by) ? match_chains(w) : match_names(w, w->list);
    w->shown = mp_arena_alloc(w->arena, w->list->n * sizeof *w->shown);
    for (uint32_t i = 0; i < w->list->n; i++)
        w->shown[i] = mp_lines_figures(w->options, &w->list->items[i], false)->allocs > 0 &&
                      (!matched || matched[i]);
    for (uint32_t i = w->list->n; w->options->by == MP_BY_TREE && i-- > 0;)
        if (w->shown[i] && w->list->items[i].parent != MP_NO_ID)
            w->shown[w->list->items[i].parent] = true;
}

/* ---------------------------------------------------------------- order */

static uint64_t
key_of(const struct work *w, const struct mp_tally_item *item)
{
    const struct mp_tally_figures *figures = mp_lines_figures(w->options, item, false);

    switch (w->options->sort) {
    case MP_LINES_LIVE:
        return figures->live;
    case MP_LINES_BLOCKS:
        return figures->blocks;
    case MP_LINES_ALLOCS:
        return mp_lines_allocs(w->options, item);
    case MP_LINES_BYTES:
        return mp_lines_bytes(w->options, item);
    default:
        return 0;
    }
}

/* An item to be sorted, with all that is compared. */
struct place {
    uint64_t key, live;
    const char *name;
    uint32_t item;
};

/* Compares by the sort key, then by live bytes, by name, and by the order in which items were first seen. */
static int
compare_places(const void *a, const void *b, void *data)
{
    const struct mp_lines_options *options = data;
    const struct place *x = a, *y = b;
    int order = mp_order(y->key, x->key);

    if (order == 0 && options->sort != MP_LINES_NAME)
        order = mp_order(y->live, x->live);
    if (order == 0 && x->name != y->name)
        order = strcmp(x->name, y->name);
    if (order == 0)
        order = mp_order(x->item, y->item);
    return options->reverse ? -order : order;
}

/* Returns the items with lines in sorted order, and their number in *N. */
static struct place *
sort_items(struct work *w, uint32_t *n)
{
    struct place *sorted = mp_arena_alloc(w->arena, w->list->n * sizeof *sorted);

    *n = 0;
    for (uint32_t i = 0; i < w->list->n; i++) {
        const struct mp_tally_item *item = &w->list->items[i];

        if (w->shown[i] && !w->closed[i])
            sorted[(*n)++] = (struct place){
                .key = key_of(w, item), .item = i, .name = item->name,
                .live = mp_lines_figures(w->options, item, false)->live};
    }
    if (*n > 0)
        qsort_r(sorted, *n, sizeof *sorted, compare_places, (void *)(uintptr_t)w->options);
    return sorted;
}

static void
add_line(struct work *w, uint32_t item, uint32_t depth, bool has_more)
{
    w->lines.list[w->lines.n++] = (struct mp_line){item, depth, has_more};
}

/* ---------------------------------------------------------------- the tree */

static bool
is_open(const struct mp_lines_options *options, uint32_t item)
{
    return !options->open || (item < options->n_open && options->open[item]);
}

/* Finds the items under collapsed ones, and the items that call selected ones. */
static void
find_closed(struct work *w)
{
    w->closed = mp_arena_alloc(w->arena, w->list->n * sizeof *w->closed);
    w->calls = mp_arena_alloc(w->arena, w->list->n * sizeof *w->calls);
    for (uint32_t i = 0; i < w->list->n && w->options->by == MP_BY_TREE; i++) {
        uint32_t parent = w->list->items[i].parent;

        if (parent == MP_NO_ID)
            continue;
        w->closed[i] = w->closed[parent] || !is_open(w->options, parent);
        w->calls[parent] |= w->shown[i];
    }
}

/* Adds the lines of the tree, each item before its callees. Builds a linked list of each item's callees from the
 * sorted items, which it goes through backwards. */
static void
add_tree(struct work *w, const struct place *sorted, uint32_t n)
{
    size_t size = ((size_t)w->list->n + 1) * sizeof(uint32_t);
    uint32_t *first = mp_arena_alloc(w->arena, size), *next = mp_arena_alloc(w->arena, size);
    uint32_t depth = 0, root = w->list->n, at;

    memset(first, 0xff, size);
    for (uint32_t i = n; i-- > 0;) {
        uint32_t item = sorted[i].item, parent = w->list->items[item].parent;
        uint32_t *head = &first[parent == MP_NO_ID ? root : parent];

        next[item] = *head;
        *head = item;
    }
    for (at = first[root]; at != MP_NO_ID;) {
        add_line(w, at, depth, w->calls[at]);
        if (first[at] != MP_NO_ID) {
            at = first[at];
            depth++;
            continue;
        }
        while (next[at] == MP_NO_ID && depth > 0) {
            at = w->list->items[at].parent;
            depth--;
        }
        at = next[at];
    }
}

struct mp_screen_lines
mp_lines_make(const struct mp_tally *tally, const struct mp_lines_options *options)
{
    struct work w = {.tally = tally, .options = options,
                     .list = mp_tally_of(tally, options->by), .arena = mp_arena_new()};
    struct place *sorted;
    uint32_t n;

    find_shown(&w);
    find_closed(&w);
    sorted = sort_items(&w, &n);
    w.lines.list = mp_need(calloc((size_t)n + 1, sizeof *w.lines.list));
    if (options->by == MP_BY_TREE)
        add_tree(&w, sorted, n);
    for (uint32_t i = 0; i < n && options->by != MP_BY_TREE; i++)
        add_line(&w, sorted[i].item, 0, false);
    mp_arena_free(w.arena);
    return w.lines;
}

void
mp_lines_free(struct mp_screen_lines *lines)
{
    free(lines->list);
    *lines = (struct mp_screen_lines){0};
}
