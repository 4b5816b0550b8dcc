#include "arcs.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 1024u    /* arcs; the table has twice as many slots */

static void
grow(struct mp_arcs *table)
{
    struct mp_arc *arcs = table->arcs;
    uint32_t *on_chain = table->on_chain;

    table->capacity *= 2;
    table->arcs = mp_arena_alloc(table->arena, table->capacity * sizeof *arcs);
    table->on_chain = mp_arena_alloc(table->arena, table->capacity * sizeof *on_chain);
    memcpy(table->arcs, arcs, table->n * sizeof *arcs);
    memcpy(table->on_chain, on_chain, table->n * sizeof *on_chain);
}

/* The slot of the arc, or the empty one where it belongs. */
static uint32_t *
slot_of(const struct mp_arcs *table, uint32_t caller, uint32_t callee)
{
    uint64_t key = (uint64_t)caller << 32 | callee;
    size_t slot;

    key *= UINT64_C(0x9e3779b97f4a7c15);        /* Knuth's multiplicative hashing, 2^64 / phi */
    for (slot = (key ^ key >> 32) & table->mask;; slot = (slot + 1) & table->mask) {
        uint32_t id = table->slots[slot];

        if (id == 0 ||
            (table->arcs[id - 1].caller == caller && table->arcs[id - 1].callee == callee))
            return &table->slots[slot];
    }
}

static void
rehash(struct mp_arcs *table)
{
    table->mask = (size_t)table->capacity * 2 - 1;
    table->slots = mp_arena_alloc(table->arena, (table->mask + 1) * sizeof *table->slots);
    for (uint32_t id = 0; id < table->n; id++)
        *slot_of(table, table->arcs[id].caller, table->arcs[id].callee) = id + 1;
}

void
mp_arcs_init(struct mp_arcs *table, struct mp_arena *arena)
{
    memset(table, 0, sizeof *table);
    table->arena = arena;
    table->capacity = FIRST_CAPACITY;
    table->arcs = mp_arena_alloc(arena, FIRST_CAPACITY * sizeof *table->arcs);
    table->on_chain = mp_arena_alloc(arena, FIRST_CAPACITY * sizeof *table->on_chain);
    rehash(table);
}

uint32_t
mp_arcs_find(struct mp_arcs *table, uint32_t caller, uint32_t callee)
{
    uint32_t *slot = slot_of(table, caller, callee);

    if (*slot)
        return *slot - 1;
    if (table->n == table->capacity) {
        grow(table);
        rehash(table);
        slot = slot_of(table, caller, callee);
    }
    table->arcs[table->n].caller = caller;
    table->arcs[table->n].callee = callee;
    *slot = ++table->n;
    return *slot - 1;
}

static int
compare(const void *a, const void *b)
{
    const struct mp_arc *x = a, *y = b;

    if (x->caller != y->caller)
        return x->caller < y->caller ? -1 : 1;
    return (x->callee > y->callee) - (x->callee < y->callee);
}

/* Counting sort by callee: arcs come by caller, so each list is sorted by caller. */
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
    memcpy(graph->arcs, table->arcs, table->n * sizeof *graph->arcs);
    qsort(graph->arcs, table->n, sizeof *graph->arcs, compare);
    for (uint32_t i = table->n; i-- > 0;) {
        struct mp_node *caller = &graph->nodes[graph->arcs[i].caller];

        caller->first_out = i;
        caller->n_out++;
    }
    list_callers(graph);
}
