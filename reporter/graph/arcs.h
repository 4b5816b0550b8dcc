/* arcs.h -- a table of the arcs of a function graph, by (caller, callee), used while the graph is built. */
#ifndef MP_ARCS_H
#define MP_ARCS_H

#include "graph.h"
#include "reporter/base/map.h"

/* Pointers into `arcs` and `on_chain` are valid until the next mp_arcs_find(). */
struct mp_arcs {
    struct mp_arc *arcs;        /* by id, in the order of appearance */
    uint32_t *on_chain;         /* by id: how often the arc is on the present chain */
    uint32_t n, arcs_room, on_chain_room;
    struct mp_map ids;          /* by caller and callee */
    struct mp_arena *arena;     /* not owned */
};

void mp_arcs_init(struct mp_arcs *table, struct mp_arena *arena);

/* Returns the id of the arc, adding it if it is new. */
uint32_t mp_arcs_find(struct mp_arcs *table, uint32_t caller, uint32_t callee);

/* Copies the arcs into GRAPH, sorted, and sets its nodes' lists of arcs. */
void mp_arcs_finish(struct mp_arcs *table, struct mp_graph *graph);

#endif
