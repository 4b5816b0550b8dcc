#include "lines.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/base/sorted.h"

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
