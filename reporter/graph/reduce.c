/* SPDX-License-Identifier: MIT */
#include "reduce.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/base/search.h"
#include "scc.h"

struct work {
    const struct mp_profile *profile;
    const struct mp_graph *graph;
    struct mp_reduced *reduced;
    uint32_t n_components;      /* components are numbered callees first */
    uint32_t *component;        /* by function */
    uint32_t *first, *members;  /* functions of component c are members[first[c]] .. members[first[c + 1] - 1] */
    uint32_t *level;            /* by component: number of arcs on the longest path to it */
    uint32_t *cycle;            /* by component: number of the cycle, or 0 */
    struct mp_arena *arena;     /* scratch */
};

/* Sort key of an entry, most significant part first. */
struct key {
    uint64_t bytes;
    uint32_t level;             /* callers before callees */
    uint32_t member;            /* the whole cycle before its members */
    uint32_t depth;
    const char *name;
    uint32_t function;          /* MP_NO_ID for a whole cycle */
    uint32_t component;
};

static int
compare_keys(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    int order = mp_order(y->bytes, x->bytes);

    if (order == 0)
        order = mp_order(x->level, y->level);
    if (order == 0)
        order = mp_order(x->member, y->member);
    if (order == 0)
        order = mp_order(x->depth, y->depth);
    if (order == 0)
        order = strcmp(x->name, y->name);
    return order ? order : mp_order(x->function, y->function);
}

static bool
in_graph(const struct mp_graph *graph, uint32_t function)
{
    return mp_sums_any(&graph->nodes[function].inclusive);
}

static bool
is_cycle(const struct work *w, uint32_t component)
{
    return w->first[component + 1] - w->first[component] > 1;
}

/* ---------------------------------------------------------------- components */

static void
find_components(struct work *w)
{
    const struct mp_graph *graph = w->graph;
    uint32_t n = graph->n_nodes;
    uint32_t *first = mp_arena_alloc(w->arena, (n + (size_t)1) * sizeof *first);
    uint32_t *targets = mp_arena_alloc(w->arena, graph->n_arcs * sizeof *targets);

    for (uint32_t i = 0; i < n; i++)
        first[i + 1] = first[i] + graph->nodes[i].n_out;
    for (uint32_t i = 0; i < graph->n_arcs; i++)
        targets[i] = graph->arcs[i].callee;
    w->component = mp_arena_alloc(w->arena, n * sizeof *w->component);
    w->n_components = mp_scc(n, first, targets, w->component);
}

/* Sets the list of functions of each component by a counting sort. */
static void
list_members(struct work *w)
{
    uint32_t n = w->graph->n_nodes;
    uint32_t *next;

    w->first = mp_arena_alloc(w->arena, (w->n_components + (size_t)1) * sizeof *w->first);
    w->members = mp_arena_alloc(w->arena, n * sizeof *w->members);
    next = mp_arena_alloc(w->arena, w->n_components * sizeof *next);
    for (uint32_t i = 0; i < n; i++)
        w->first[w->component[i] + 1]++;
    for (uint32_t c = 0; c < w->n_components; c++) {
        w->first[c + 1] += w->first[c];
        next[c] = w->first[c];
    }
    for (uint32_t i = 0; i < n; i++)
        w->members[next[w->component[i]]++] = i;
}

/* Finds the levels of components. Components are numbered callees first, so a downward pass knows a caller's
 * level before it needs its callees' levels. */
static void
find_levels(struct work *w)
{
    const struct mp_graph *graph = w->graph;

    w->level = mp_arena_alloc(w->arena, w->n_components * sizeof *w->level);
    for (uint32_t i = graph->n_nodes; i-- > 0;) {
        const struct mp_node *node = &graph->nodes[w->members[i]];
        uint32_t caller = w->component[w->members[i]];

        for (uint32_t a = node->first_out; a < node->first_out + node->n_out; a++) {
            uint32_t callee = w->component[graph->arcs[a].callee];

            if (callee != caller && w->level[callee] <= w->level[caller])
                w->level[callee] = w->level[caller] + 1;
        }
    }
}

/* ---------------------------------------------------------------- entries */

static void
fill_function(const struct work *w, struct mp_entry *entry, uint32_t function)
{
    const struct mp_node *node = &w->graph->nodes[function];

    entry->function = function;
    entry->self = node->self;
    entry->inclusive = node->inclusive;
    entry->called = node->called;
    entry->calling = node->calling;
    entry->root = node->root;
    entry->recur = node->recur;
}

static void
add_arcs_of_member(const struct work *w, struct mp_entry *entry, uint32_t function)
{
    const struct mp_graph *graph = w->graph;
    const struct mp_node *node = &graph->nodes[function];
    uint32_t component = w->component[function];

    for (uint32_t i = 0; i < node->n_in; i++) {
        const struct mp_arc *arc = &graph->arcs[graph->in[node->first_in + i]];

        if (w->component[arc->caller] != component) {
            mp_sums_add(&entry->called, &arc->sums);
            continue;
        }
        entry->recur = mp_plus(entry->recur, arc->sums.allocs);
        entry->recur = mp_plus(entry->recur, arc->recur);
    }
    for (uint32_t i = 0; i < node->n_out; i++) {
        const struct mp_arc *arc = &graph->arcs[node->first_out + i];

        if (w->component[arc->callee] != component)
            mp_sums_add(&entry->calling, &arc->sums);
    }
}

static void
fill_cycle(const struct work *w, struct mp_entry *entry, uint32_t component)
{
    entry->function = MP_NO_ID;
    for (uint32_t i = w->first[component]; i < w->first[component + 1]; i++) {
        const struct mp_node *node = &w->graph->nodes[w->members[i]];

        mp_sums_add(&entry->self, &node->self);
        mp_sums_add(&entry->root, &node->root);
        add_arcs_of_member(w, entry, w->members[i]);
    }
    entry->inclusive = entry->called;
    mp_sums_add(&entry->inclusive, &entry->root);
}

static void
key_of_function(const struct work *w, struct key *key, uint32_t function)
{
    key->bytes = mp_sums_bytes(&w->graph->nodes[function].inclusive);
    key->component = w->component[function];
    key->level = w->level[key->component];
    key->member = is_cycle(w, key->component);
    key->depth = w->graph->nodes[function].depth;
    key->name = w->profile->functions[function].text;
    key->function = function;
}

static void
key_of_cycle(const struct work *w, struct key *key, uint32_t component)
{
    struct mp_entry entry = { 0 };

    fill_cycle(w, &entry, component);
    key->bytes = mp_sums_bytes(&entry.inclusive);
    key->component = component;
    key->level = w->level[component];
    key->depth = UINT32_MAX;
    key->function = MP_NO_ID;
    for (uint32_t i = w->first[component]; i < w->first[component + 1]; i++) {
        uint32_t function = w->members[i];
        const char *name = w->profile->functions[function].text;

        if (w->graph->nodes[function].depth < key->depth)
            key->depth = w->graph->nodes[function].depth;
        if (!key->name || strcmp(name, key->name) < 0)
            key->name = name;
    }
}

/* Returns the sorted keys of all entries. */
static struct key *
sorted_keys(const struct work *w, uint32_t *n_keys)
{
    struct key *keys;
    uint32_t n = 0;

    for (uint32_t i = 0; i < w->graph->n_nodes; i++)
        n += in_graph(w->graph, i);
    for (uint32_t c = 0; c < w->n_components; c++)
        n += is_cycle(w, c);
    keys = mp_arena_alloc(w->arena, n * sizeof *keys);
    *n_keys = n;
    n = 0;
    for (uint32_t i = 0; i < w->graph->n_nodes; i++)
        if (in_graph(w->graph, i))
            key_of_function(w, &keys[n++], i);
    for (uint32_t c = 0; c < w->n_components; c++)
        if (is_cycle(w, c))
            key_of_cycle(w, &keys[n++], c);
    qsort(keys, n, sizeof *keys, compare_keys);
    return keys;
}

static void
make_entries(struct work *w)
{
    struct mp_reduced *r = w->reduced;
    const struct key *keys = sorted_keys(w, &r->n_entries);

    r->entries = mp_arena_alloc(r->arena, r->n_entries * sizeof *r->entries);
    r->entry_of = mp_arena_alloc(r->arena, w->graph->n_nodes * sizeof *r->entry_of);
    r->entry_of_cycle = mp_arena_alloc(r->arena, (w->n_components + (size_t)1) *
                                                     sizeof *r->entry_of_cycle);
    w->cycle = mp_arena_alloc(w->arena, w->n_components * sizeof *w->cycle);
    for (uint32_t i = 0; i < w->graph->n_nodes; i++)
        r->entry_of[i] = MP_NO_ID;
    for (uint32_t i = 0; i < r->n_entries; i++) {
        if (keys[i].function == MP_NO_ID) {
            fill_cycle(w, &r->entries[i], keys[i].component);
            w->cycle[keys[i].component] = ++r->n_cycles;
            r->entry_of_cycle[r->n_cycles] = i;
        } else {
            fill_function(w, &r->entries[i], keys[i].function);
            r->entry_of[keys[i].function] = i;
        }
    }
    for (uint32_t i = 0; i < r->n_entries; i++)
        r->entries[i].cycle = w->cycle[keys[i].component];
}

/* ---------------------------------------------------------------- rows of an entry */

static int
compare_rows(const void *a, const void *b, void *data)
{
    const struct mp_reduced *r = data;
    const struct mp_row *x = a, *y = b;
    int order = mp_order(mp_sums_bytes(y->sums), mp_sums_bytes(x->sums));

    return order ? order : mp_order(r->entry_of[x->function], r->entry_of[y->function]);
}

void
mp_reduced_sort(const struct mp_reduced *reduced, struct mp_row *rows, uint32_t n_rows)
{
    qsort_r(rows, n_rows, sizeof *rows, compare_rows, (void *)reduced);
}

static int
compare_row_functions(const void *a, const void *b)
{
    const struct mp_row *x = a, *y = b;

    return mp_order(x->function, y->function);
}

/* Appends the arcs between FUNCTION and its callers (or callees) to ROWS, without self-arcs. If OUTSIDE, also
 * omits arcs inside its cycle. Returns the new number of rows. */
static uint32_t
append_arcs(const struct work *w, struct mp_row *rows, uint32_t n_rows, uint32_t function,
            bool callers, bool outside)
{
    const struct mp_graph *graph = w->graph;
    const struct mp_node *node = &graph->nodes[function];
    uint32_t n = callers ? node->n_in : node->n_out;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t id = callers ? graph->in[node->first_in + i] : node->first_out + i;
        const struct mp_arc *arc = &graph->arcs[id];
        uint32_t other = callers ? arc->caller : arc->callee;
        bool same = w->component[other] == w->component[function];

        if (other == function || (same && outside))
            continue;
        rows[n_rows++] = (struct mp_row) { other, same, &arc->sums };
    }
    return n_rows;
}

/* Merges the rows of the same function and returns the new number of rows. No byte is counted twice, because a
 * chain enters and leaves a cycle at most once. */
static uint32_t
merge_rows(struct work *w, struct mp_row *rows, uint32_t n_rows)
{
    uint32_t n = 0;

    qsort(rows, n_rows, sizeof *rows, compare_row_functions);
    for (uint32_t i = 0; i < n_rows; i++) {
        struct mp_sums *sums;

        if (n > 0 && rows[n - 1].function == rows[i].function) {
            sums = mp_arena_alloc(w->reduced->arena, sizeof *sums);
            *sums = *rows[n - 1].sums;
            mp_sums_add(sums, rows[i].sums);
            rows[n - 1].sums = sums;
        } else {
            rows[n++] = rows[i];
        }
    }
    return n;
}

static struct mp_row *
cycle_rows(struct work *w, uint32_t component, bool callers, uint32_t *n_rows)
{
    struct mp_row *rows;
    size_t most = 0;
    uint32_t n = 0;

    for (uint32_t i = w->first[component]; i < w->first[component + 1]; i++) {
        const struct mp_node *node = &w->graph->nodes[w->members[i]];

        most += callers ? node->n_in : node->n_out;
    }
    rows = mp_arena_alloc(w->reduced->arena, most * sizeof *rows);
    for (uint32_t i = w->first[component]; i < w->first[component + 1]; i++)
        n = append_arcs(w, rows, n, w->members[i], callers, true);
    *n_rows = merge_rows(w, rows, n);
    mp_reduced_sort(w->reduced, rows, *n_rows);
    return rows;
}

static struct mp_row *
function_rows(struct work *w, uint32_t function, bool callers, uint32_t *n_rows)
{
    const struct mp_node *node = &w->graph->nodes[function];
    uint32_t most = callers ? node->n_in : node->n_out;
    struct mp_row *rows = mp_arena_alloc(w->reduced->arena, most * sizeof *rows);

    *n_rows = append_arcs(w, rows, 0, function, callers, false);
    mp_reduced_sort(w->reduced, rows, *n_rows);
    return rows;
}

/* ---------------------------------------------------------------- functions by self */

static int
compare_self(const void *a, const void *b, void *data)
{
    const struct mp_reduced *r = data;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int order = mp_order(mp_sums_bytes(&r->graph->nodes[y].self),
                                mp_sums_bytes(&r->graph->nodes[x].self));

    if (order == 0)
        order = strcmp(r->profile->functions[x].text, r->profile->functions[y].text);
    return order ? order : mp_order(x, y);
}

static void
list_direct(struct work *w)
{
    struct mp_reduced *r = w->reduced;

    r->direct = mp_arena_alloc(r->arena, r->n_entries * sizeof *r->direct);
    for (uint32_t i = 0; i < w->graph->n_nodes; i++)
        if (mp_sums_any(&w->graph->nodes[i].self))
            r->direct[r->n_direct++] = i;
    qsort_r(r->direct, r->n_direct, sizeof *r->direct, compare_self, r);
}

static void
fill_rows(struct work *w)
{
    struct mp_reduced *r = w->reduced;

    for (uint32_t i = 0; i < r->n_entries; i++) {
        struct mp_entry *e = &r->entries[i];

        if (e->function != MP_NO_ID) {
            e->ancestors = function_rows(w, e->function, true, &e->n_ancestors);
            e->descendants = function_rows(w, e->function, false, &e->n_descendants);
        }
    }
    for (uint32_t c = 0; c < w->n_components; c++) {
        struct mp_entry *e;

        if (w->cycle[c] == 0)
            continue;
        e = &r->entries[r->entry_of_cycle[w->cycle[c]]];
        e->ancestors = cycle_rows(w, c, true, &e->n_ancestors);
        e->descendants = cycle_rows(w, c, false, &e->n_descendants);
        e->n_members = w->first[c + 1] - w->first[c];
        e->members = mp_arena_alloc(r->arena, e->n_members * sizeof *e->members);
        memcpy(e->members, w->members + w->first[c], e->n_members * sizeof *e->members);
        qsort_r(e->members, e->n_members, sizeof *e->members, compare_self, r);
    }
}

struct mp_reduced *
mp_reduce(const struct mp_profile *profile, const struct mp_graph *graph)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_reduced *reduced = mp_arena_alloc(arena, sizeof *reduced);
    struct work w = { .profile = profile, .graph = graph, .reduced = reduced };

    w.arena = mp_arena_new();
    reduced->arena = arena;
    reduced->profile = profile;
    reduced->graph = graph;
    find_components(&w);
    list_members(&w);
    find_levels(&w);
    make_entries(&w);
    fill_rows(&w);
    list_direct(&w);
    mp_arena_free(w.arena);
    return reduced;
}

void
mp_reduced_free(struct mp_reduced *reduced)
{
    if (reduced)
        mp_arena_free(reduced->arena);
}
