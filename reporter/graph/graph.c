/* SPDX-License-Identifier: MIT */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/base/search.h"
#include "reporter/view/startup_frames.h"

/* ---------------------------------------------------------------- arcs */

void
mp_arcs_init(struct mp_arcs *table, struct mp_arena *arena)
{
    *table = (struct mp_arcs){.arena = arena, .ids.arena = arena};
}

uint32_t
mp_arcs_find(struct mp_arcs *table, uint32_t caller, uint32_t callee)
{
    uint32_t id = mp_map_add_u64(&table->ids, (uint64_t)caller << 32 | callee);

    if (id < table->n)
        return id;
    table->arcs = mp_arena_grow(table->arena, table->arcs, table->n, &table->arcs_room,
                                sizeof *table->arcs);
    table->on_chain = mp_arena_grow(table->arena, table->on_chain, table->n,
                                    &table->on_chain_room, sizeof *table->on_chain);
    table->arcs[table->n].caller = caller;
    table->arcs[table->n].callee = callee;
    return table->n++;
}

static int
compare(const void *a, const void *b)
{
    const struct mp_arc *x = a, *y = b;

    return x->caller != y->caller ? mp_order(x->caller, y->caller) : mp_order(x->callee, y->callee);
}

/* Sets each node's list of callers by a counting sort of the arcs by callee. Each list is sorted by caller, because
 * the arcs are. */
static void
list_callers(struct mp_graph *graph)
{
    uint32_t first = 0;

    for (uint32_t i = 0; i < graph->n_arcs; i++)
        graph->nodes[graph->arcs[i].callee].n_in++;
    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        graph->nodes[i].first_in = first;
        first += graph->nodes[i].n_in;
        graph->nodes[i].n_in = 0;
    }
    for (uint32_t i = 0; i < graph->n_arcs; i++) {
        struct mp_node *callee = &graph->nodes[graph->arcs[i].callee];

        graph->in[callee->first_in + callee->n_in++] = i;
    }
}

/* Copies the arcs into GRAPH, sorted, and sets its nodes' lists of arcs. */
static void
arcs_finish(struct mp_arcs *table, struct mp_graph *graph)
{
    graph->n_arcs = table->n;
    graph->arcs = mp_arena_alloc(graph->arena, table->n * sizeof *graph->arcs);
    graph->in = mp_arena_alloc(graph->arena, table->n * sizeof *graph->in);
    if (table->n > 0)
        memcpy(graph->arcs, table->arcs, table->n * sizeof *graph->arcs);
    qsort(graph->arcs, table->n, sizeof *graph->arcs, compare);
    for (uint32_t i = table->n; i-- > 0;) {
        struct mp_node *caller = &graph->nodes[graph->arcs[i].caller];

        caller->first_out = i;
        caller->n_out++;
    }
    list_callers(graph);
}

/* ---------------------------------------------------------------- the graph */

enum { FIRST_OF_FUNCTION = 1, FIRST_OF_ARC = 2, FIRST_AS_CALLER = 4, FIRST_AS_CALLEE = 8 };

struct occurrence {
    uint32_t function;
    uint32_t arc;               /* arc from the preceding occurrence, or MP_NO_ID if the chain begins here or is cut
                                   here */
    uint32_t first;             /* FIRST_*: the roles in which this occurrence is the outermost */
};

struct level {
    uint32_t context;
    uint32_t next;              /* next child to walk, or 0 */
    size_t occurrences;         /* number of occurrences before this level */
    bool hidden;                /* whether it is in graph->startup, so that chains begin after it */
    struct mp_sums sums;        /* sums of the part of the subtree walked so far */
};

struct walk {
    const struct mp_profile *profile;
    struct mp_graph *graph;
    struct mp_arcs arcs;
    struct newest {
        uint32_t caller, arc;   /* MP_NO_ID before the first */
    } *newest;                  /* by function: the arc by which it was called last */
    uint32_t *child, *sibling;  /* lists of contexts with allocations at or below them; 0 ends a list */
    uint32_t *cell;             /* id + 1 of a context's first cell, or 0 */
    uint32_t *on_chain, *as_caller, *as_callee;     /* by function: number of occurrences on the chain in this role */
    struct level *levels;            size_t n_levels, max_levels;  /* sums of unused levels are 0 */
    struct occurrence *occurrences;  size_t n_occurrences, max_occurrences;
    size_t begin;               /* index of the first occurrence that belongs to the chain; earlier ones are further out
                                   than hidden start-up code, such as a mark for the thread */
    struct mp_arena *arena;     /* scratch */
};

void
mp_graph_add_cell(const struct mp_graph *graph, struct mp_sums *sums, const struct mp_cell *cell)
{
    unsigned column = mp_breakdown_column(graph->style, cell->kind);

    sums->allocs = mp_plus(sums->allocs, cell->counts.allocs);
    sums->columns |= 1u << column;
    sums->bytes[column] = mp_plus(sums->bytes[column], cell->counts.bytes);
    sums->kept[column] = mp_plus_kept(sums->kept[column], cell->counts.kept);
    sums->peak = mp_plus_signed(sums->peak, cell->counts.peak_bytes);
    sums->temporary = mp_plus(sums->temporary, cell->counts.temporary);
    if (cell->rest)
        mp_spread_add(&sums->spread, &cell->rest->counts.spread);
}

static void
index_cells(struct walk *w)
{
    const struct mp_profile *profile = w->profile;

    w->cell = mp_arena_alloc(w->arena, profile->n_contexts * sizeof *w->cell);
    for (uint32_t i = profile->n_cells; i-- > 0;) {
        w->cell[profile->cells[i].context] = i + 1;
        mp_graph_add_cell(w->graph, &w->graph->total, &profile->cells[i]);
    }
}

static bool
allocates(const struct walk *w, uint32_t context)
{
    const struct mp_profile *profile = w->profile;
    uint32_t i = w->cell[context];

    if (i == 0)
        return false;
    for (i--; i < profile->n_cells && profile->cells[i].context == context; i++)
        if (mp_basic_any(&profile->cells[i].counts))
            return true;
    return false;
}

/* Links all contexts with allocations. Children have higher ids than their parents, so one downward pass
 * suffices. */
static void
index_children(struct walk *w)
{
    const struct mp_profile *profile = w->profile;

    w->child = mp_arena_alloc(w->arena, profile->n_contexts * sizeof *w->child);
    w->sibling = mp_arena_alloc(w->arena, profile->n_contexts * sizeof *w->sibling);
    for (uint32_t i = profile->n_contexts; i-- > 1;) {
        uint32_t parent = profile->contexts[i].parent;

        if (w->child[i] == 0 && !allocates(w, i))
            continue;
        w->sibling[i] = w->child[parent];
        w->child[parent] = i;
    }
}

/* Returns ITEMS, N of SIZE bytes, with capacity for one more. */
static void *
grown(struct walk *w, void *items, size_t n, size_t *max, size_t size)
{
    void *more;

    if (n < *max)
        return items;
    *max = *max ? 2 * *max : 256;
    more = mp_arena_alloc(w->arena, *max * size);
    if (n > 0)
        memcpy(more, items, n * size);
    return more;
}

/* Counts an occurrence of FUNCTION, called by CALLER over ARC. Returns the roles in which it is the outermost. */
static uint32_t
count_in(struct walk *w, uint32_t caller, uint32_t function, uint32_t arc)
{
    uint32_t first = w->on_chain[function]++ == 0 ? FIRST_OF_FUNCTION : 0;

    if (arc == MP_NO_ID)
        return first;
    if (w->arcs.on_chain[arc]++ == 0)
        first |= FIRST_OF_ARC;
    if (caller == function)
        return first;
    if (w->as_caller[caller]++ == 0)
        first |= FIRST_AS_CALLER;
    if (w->as_callee[function]++ == 0)
        first |= FIRST_AS_CALLEE;
    return first;
}

static void
push_occurrence(struct walk *w, uint32_t function)
{
    struct mp_node *node = &w->graph->nodes[function];
    uint32_t caller = MP_NO_ID, arc = MP_NO_ID;
    struct occurrence *occurrence;

    if (w->n_occurrences > w->begin) {
        struct newest *newest = &w->newest[function];

        caller = w->occurrences[w->n_occurrences - 1].function;
        if (newest->caller != caller)
            *newest = (struct newest){caller, mp_arcs_find(&w->arcs, caller, function)};
        arc = newest->arc;
    }
    if (w->n_occurrences < node->depth)
        node->depth = (uint32_t)w->n_occurrences;
    w->occurrences = grown(w, w->occurrences, w->n_occurrences, &w->max_occurrences,
                           sizeof *w->occurrences);
    occurrence = &w->occurrences[w->n_occurrences++];
    occurrence->function = function;
    occurrence->arc = arc;
    occurrence->first = count_in(w, caller, function, arc);
}

/* Credits OCCURRENCE, called by CALLER, with SUMS, which were allocated while it was on the chain. */
static void
credit(struct walk *w, const struct occurrence *occurrence, uint32_t caller,
       const struct mp_sums *sums)
{
    struct mp_node *node = &w->graph->nodes[occurrence->function];
    struct mp_arc *arc;

    if (occurrence->first & FIRST_OF_FUNCTION)
        mp_sums_add(&node->inclusive, sums);
    else
        node->recur = mp_plus(node->recur, sums->allocs);
    if (occurrence->arc == MP_NO_ID) {
        mp_sums_add(&node->root, sums);
        return;
    }
    arc = &w->arcs.arcs[occurrence->arc];
    if (occurrence->first & FIRST_OF_ARC)
        mp_sums_add(&arc->sums, sums);
    else
        arc->recur = mp_plus(arc->recur, sums->allocs);
    if (occurrence->first & FIRST_AS_CALLER)
        mp_sums_add(&w->graph->nodes[caller].calling, sums);
    if (occurrence->first & FIRST_AS_CALLEE)
        mp_sums_add(&node->called, sums);
}

static void
pop_occurrence(struct walk *w, const struct mp_sums *sums)
{
    const struct occurrence *top = &w->occurrences[--w->n_occurrences];
    uint32_t caller = top->arc == MP_NO_ID ? MP_NO_ID : top[-1].function;

    credit(w, top, caller, sums);
    w->on_chain[top->function]--;
    if (top->arc == MP_NO_ID)
        return;
    w->arcs.on_chain[top->arc]--;
    if (caller == top->function)
        return;
    w->as_caller[caller]--;
    w->as_callee[top->function]--;
}

const struct mp_location *
mp_graph_locations(const struct mp_profile *profile, uint32_t context, uint32_t *n)
{
    uint32_t frame = profile->contexts[context].frame;

    *n = 0;
    if (frame >= profile->n_frames)
        return NULL;
    *n = mp_frame_locations(&profile->frames[frame]);
    return profile->locations + profile->frames[frame].first_location;
}

/* Credits a hidden function with what it allocates itself, as if it had no caller. */
static void
credit_hidden(struct walk *w, uint32_t function, const struct mp_sums *sums)
{
    struct mp_node *node = &w->graph->nodes[function];

    if (!mp_sums_any(sums))
        return;
    node->depth = 0;
    mp_sums_add(&node->self, sums);
    mp_sums_add(&node->inclusive, sums);
    mp_sums_add(&node->root, sums);
}

/* Sets SUMS to 0, which takes much less time than memset() would, because most of them are 0 already. */
static void
clear(struct mp_sums *sums)
{
    for (uint32_t left = sums->columns; left != 0; left &= left - 1)
        sums->bytes[__builtin_ctz(left)] = sums->kept[__builtin_ctz(left)] = 0;
    sums->allocs = sums->temporary = sums->columns = 0;
    sums->peak = 0;
    if (!mp_spread_is_exact(&sums->spread))
        memset(&sums->spread, 0, sizeof sums->spread);
}

static void
enter(struct walk *w, uint32_t context)
{
    const struct mp_location *location;
    struct level *level;
    uint32_t n;

    w->levels = grown(w, w->levels, w->n_levels, &w->max_levels, sizeof *w->levels);
    level = &w->levels[w->n_levels++];
    level->context = context;
    level->next = w->child[context];
    level->occurrences = w->n_occurrences;
    if (w->cell[context])
        for (uint32_t i = w->cell[context] - 1;
             i < w->profile->n_cells && w->profile->cells[i].context == context; i++)
            mp_graph_add_cell(w->graph, &level->sums, &w->profile->cells[i]);

    location = mp_graph_locations(w->profile, context, &n);
    level->hidden = w->graph->startup && w->graph->startup[context];
    if (level->hidden) {
        w->begin = w->n_occurrences;
        if (n > 0)
            credit_hidden(w, location[0].function, &level->sums);
        return;
    }
    while (n > 0)
        push_occurrence(w, location[--n].function);
    if (w->n_occurrences > 0)
        mp_sums_add(&w->graph->nodes[w->occurrences[w->n_occurrences - 1].function].self,
                    &level->sums);
}

static void
leave(struct walk *w)
{
    struct level *level = &w->levels[--w->n_levels];

    while (w->n_occurrences > level->occurrences)
        pop_occurrence(w, &level->sums);
    if (level->hidden && (w->n_levels == 0 || !level[-1].hidden))
        w->begin = 0;
    if (w->n_levels > 0 && !level->hidden)
        mp_sums_add(&level[-1].sums, &level->sums);
    clear(&level->sums);
}

static void
walk_all(struct walk *w)
{
    enter(w, 0);
    while (w->n_levels > 0) {
        struct level *top = &w->levels[w->n_levels - 1];
        uint32_t child = top->next;

        if (child == 0) {
            leave(w);
        } else {
            top->next = w->sibling[child];
            enter(w, child);
        }
    }
}

static struct mp_graph *
graph_new(const struct mp_profile *profile, const struct mp_graph_options *options)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_graph *graph = mp_arena_alloc(arena, sizeof *graph);

    graph->arena = arena;
    graph->style = options->style ? options->style : &mp_breakdown_c;
    graph->startup = options->keep_startup ? NULL : mp_startup_contexts(profile, arena);
    graph->n_nodes = profile->n_functions;
    graph->nodes = mp_arena_alloc(arena, graph->n_nodes * sizeof *graph->nodes);
    for (uint32_t i = 0; i < graph->n_nodes; i++)
        graph->nodes[i].depth = UINT32_MAX;
    return graph;
}

struct mp_graph *
mp_graph_build(const struct mp_profile *profile, const struct mp_graph_options *options)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_graph *graph = graph_new(profile, options);
    size_t size = profile->n_functions * sizeof(uint32_t);
    struct walk w = {
        .profile = profile, .graph = graph, .arena = arena,
        .on_chain = mp_arena_alloc(arena, size), .as_caller = mp_arena_alloc(arena, size),
        .as_callee = mp_arena_alloc(arena, size),
        .newest = mp_arena_alloc(arena, profile->n_functions * sizeof *w.newest)
    };

    memset(w.newest, 0xff, profile->n_functions * sizeof *w.newest);
    mp_arcs_init(&w.arcs, arena);
    index_cells(&w);
    index_children(&w);
    walk_all(&w);
    arcs_finish(&w.arcs, graph);
    mp_arena_free(arena);
    return graph;
}

void
mp_graph_free(struct mp_graph *graph)
{
    if (graph)
        mp_arena_free(graph->arena);
}
