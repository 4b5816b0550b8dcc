#include "arcs.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/base/sorted.h"

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

/* A counting sort by callee. Arcs are sorted by caller, so each list of callers is, too. */
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

void
mp_arcs_finish(struct mp_arcs *table, struct mp_graph *graph)
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
