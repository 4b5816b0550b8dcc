/* SPDX-License-Identifier: MIT */
/*
 * A *way* is the sequence of cycles that a chain passes. One pass over the contexts, callers first, finds the
 * way of each chain. There are few different ways. Allocations are summed for each way and allocating function.
 * The figures of a cycle are those of all ways through it.
 */
#include "cycles.h"

#include <stdlib.h>

#include "graph.h"
#include "reporter/base/search.h"

/* Ways are numbered from 1. Way 0 passes no cycle. */
struct mp_cycles {
    const struct mp_reduced *reduced;
    struct mp_arcs ways;        /* (way, next cycle): the arc with id i is way i + 1 */
    struct mp_arcs allocated;   /* (way, function): what the function itself allocated on that way */
    bool *through;              /* by way: whether it passes the present cycle */
    uint32_t *row;              /* by function: index of its row + 1, or 0 */
    struct mp_arena *arena;     /* owns everything above */
};

/* The way of a context's chain, and its innermost function. */
struct end {
    uint32_t way;
    uint32_t function;          /* innermost function, or MP_NO_ID */
};

/* ---------------------------------------------------------------- all cycles */

static uint32_t
cycle_of(const struct mp_reduced *reduced, uint32_t function)
{
    uint32_t entry = reduced->entry_of[function];

    return entry == MP_NO_ID ? 0 : reduced->entries[entry].cycle;
}

/* Returns the way of a chain that has WAY and now reaches FUNCTION. */
static uint32_t
way_to(struct mp_cycles *cycles, uint32_t way, uint32_t function)
{
    uint32_t cycle = cycle_of(cycles->reduced, function);

    if (cycle == 0 || cycle > MP_CYCLES_TOLD ||
        (way != 0 && cycles->ways.arcs[way - 1].callee == cycle))
        return way;
    return mp_arcs_find(&cycles->ways, way, cycle) + 1;
}

/* Returns the end of CONTEXT's chain, by the rules of the graph. A hidden frame is on no chain but its own, and
 * chains begin below it. */
static struct end
end_of(struct mp_cycles *cycles, const struct end *ends, uint32_t context)
{
    const struct mp_profile *profile = cycles->reduced->profile;
    const bool *hidden = cycles->reduced->graph->startup;
    uint32_t parent = profile->contexts[context].parent, n;
    const struct mp_location *locations = mp_graph_locations(profile, context, &n);
    struct end end = ends[parent];

    if (hidden && (hidden[context] || hidden[parent]))
        end = (struct end) {0, MP_NO_ID};
    if (hidden && hidden[context] && n > 1)
        n = 1;
    while (n > 0) {
        end.function = locations[--n].function;
        end.way = way_to(cycles, end.way, end.function);
    }
    return end;
}

static void
add_cells(struct mp_cycles *cycles, const struct end *ends)
{
    const struct mp_profile *profile = cycles->reduced->profile;

    for (uint32_t i = 0; i < profile->n_cells; i++) {
        const struct mp_cell *cell = &profile->cells[i];
        const struct end *end = &ends[cell->context];
        uint32_t id;

        if (end->way == 0 || !mp_basic_any(&cell->counts))
            continue;
        id = mp_arcs_find(&cycles->allocated, end->way, end->function);
        mp_graph_add_cell(cycles->reduced->graph, &cycles->allocated.arcs[id].sums, cell);
    }
}

struct mp_cycles *
mp_cycles_new(const struct mp_reduced *reduced)
{
    const struct mp_profile *profile = reduced->profile;
    struct mp_arena *arena = mp_arena_new(), *scratch = mp_arena_new();
    struct mp_cycles *cycles = mp_arena_alloc(arena, sizeof *cycles);
    struct end *ends = mp_arena_alloc(scratch, profile->n_contexts * sizeof *ends);

    cycles->reduced = reduced;
    cycles->arena = arena;
    mp_arcs_init(&cycles->ways, arena);
    mp_arcs_init(&cycles->allocated, arena);
    ends[0].function = MP_NO_ID;
    for (uint32_t i = 1; i < profile->n_contexts; i++)
        ends[i] = end_of(cycles, ends, i);
    add_cells(cycles, ends);
    mp_arena_free(scratch);
    cycles->through = mp_arena_alloc(arena, cycles->ways.n + (size_t)1);
    cycles->row = mp_arena_alloc(arena, profile->n_functions * sizeof *cycles->row);
    return cycles;
}

void
mp_cycles_free(struct mp_cycles *cycles)
{
    if (cycles)
        mp_arena_free(cycles->arena);
}

/* ---------------------------------------------------------------- one cycle */

/* Finds the ways through CYCLE. A way has a higher number than the one that it extends. */
static void
find_ways(struct mp_cycles *cycles, uint32_t cycle)
{
    for (uint32_t i = 0; i < cycles->ways.n; i++) {
        const struct mp_arc *way = &cycles->ways.arcs[i];

        cycles->through[i + 1] = way->callee == cycle || cycles->through[way->caller];
    }
}

/* Lists what was allocated on ways through CYCLE, by function. */
static void
list_allocators(struct mp_cycles *cycles, uint32_t cycle, struct mp_arena *arena,
                struct mp_inside *inside)
{
    const struct mp_arcs *allocated = &cycles->allocated;
    struct mp_sums *sums;
    uint32_t n = 0;

    for (uint32_t i = 0; i < allocated->n; i++) {
        uint32_t *row = &cycles->row[allocated->arcs[i].callee];

        if (cycles->through[allocated->arcs[i].caller] && *row == 0)
            *row = ++n;
    }
    inside->allocators = mp_arena_alloc(arena, n * sizeof *inside->allocators);
    inside->n_allocators = n;
    sums = mp_arena_alloc(arena, n * sizeof *sums);
    for (uint32_t i = 0; i < allocated->n; i++) {
        uint32_t function = allocated->arcs[i].callee, row = cycles->row[function];

        if (!cycles->through[allocated->arcs[i].caller])
            continue;
        mp_sums_add(&sums[row - 1], &allocated->arcs[i].sums);
        inside->allocators[row - 1] = (struct mp_row) {
            function, cycle_of(cycles->reduced, function) == cycle, &sums[row - 1]};
    }
    for (uint32_t i = 0; i < n; i++)
        cycles->row[inside->allocators[i].function] = 0;
    mp_reduced_sort(cycles->reduced, inside->allocators, n);
}

/* Returns what MEMBER allocates itself and under its calls of functions outside the cycle. */
static struct mp_sums
innermost_sums(const struct mp_reduced *reduced, uint32_t cycle, uint32_t member)
{
    const struct mp_node *node = &reduced->graph->nodes[member];
    struct mp_sums sums = node->self;

    for (uint32_t i = node->first_out; i < node->first_out + node->n_out; i++)
        if (cycle_of(reduced, reduced->graph->arcs[i].callee) != cycle)
            mp_sums_add(&sums, &reduced->graph->arcs[i].sums);
    return sums;
}

static void
list_innermost(const struct mp_reduced *reduced, const struct mp_entry *cycle,
               struct mp_arena *arena, struct mp_inside *inside)
{
    struct mp_sums *sums = mp_arena_alloc(arena, cycle->n_members * sizeof *sums);
    struct mp_row *rows = mp_arena_alloc(arena, cycle->n_members * sizeof *rows);
    uint32_t n = 0;

    for (uint32_t i = 0; i < cycle->n_members; i++) {
        sums[n] = innermost_sums(reduced, cycle->cycle, cycle->members[i]);
        if (mp_sums_any(&sums[n])) {
            rows[n] = (struct mp_row) {cycle->members[i], true, &sums[n]};
            n++;
        }
    }
    mp_reduced_sort(reduced, rows, n);
    inside->innermost = rows;
    inside->n_innermost = n;
}

static int
compare_arcs(const void *a, const void *b, void *data)
{
    const struct mp_reduced *reduced = data;
    const struct mp_arc *x = *(const struct mp_arc *const *)a;
    const struct mp_arc *y = *(const struct mp_arc *const *)b;
    uint64_t x_bytes = mp_sums_bytes(&x->sums), y_bytes = mp_sums_bytes(&y->sums);

    if (x_bytes != y_bytes)
        return mp_order(y_bytes, x_bytes);
    if (x->caller != y->caller)
        return reduced->entry_of[x->caller] < reduced->entry_of[y->caller] ? -1 : 1;
    return reduced->entry_of[x->callee] < reduced->entry_of[y->callee] ? -1 : 1;
}

static void
list_arcs(const struct mp_reduced *reduced, const struct mp_entry *cycle, struct mp_arena *arena,
          struct mp_inside *inside)
{
    const struct mp_graph *graph = reduced->graph;
    size_t most = 0;

    for (uint32_t i = 0; i < cycle->n_members; i++)
        most += graph->nodes[cycle->members[i]].n_out;
    inside->arcs = mp_arena_alloc(arena, most * sizeof *inside->arcs);
    inside->n_arcs = 0;
    for (uint32_t i = 0; i < cycle->n_members; i++) {
        const struct mp_node *node = &graph->nodes[cycle->members[i]];

        for (uint32_t a = node->first_out; a < node->first_out + node->n_out; a++)
            if (cycle_of(reduced, graph->arcs[a].callee) == cycle->cycle)
                inside->arcs[inside->n_arcs++] = &graph->arcs[a];
    }
    qsort_r(inside->arcs, inside->n_arcs, sizeof *inside->arcs, compare_arcs, (void *)reduced);
}

void
mp_cycles_inside(struct mp_cycles *cycles, const struct mp_entry *cycle, struct mp_arena *arena,
                 struct mp_inside *inside)
{
    find_ways(cycles, cycle->cycle);
    list_allocators(cycles, cycle->cycle, arena, inside);
    list_innermost(cycles->reduced, cycle, arena, inside);
    list_arcs(cycles->reduced, cycle, arena, inside);
}
