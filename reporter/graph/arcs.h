/* arcs.h -- the arcs of a function graph while it is built, by (caller, callee). */
#ifndef MP_ARCS_H
#define MP_ARCS_H

#include "graph.h"
#include "reporter/base/map.h"

/* Pointers into `arcs` and `on_chain` hold until the next mp_arcs_find(). */
struct mp_arcs {
    struct mp_arc *arcs;        /* by id, which is the order of appearance */
    uint32_t *on_chain;         /* by id: how often the arc is on the chain of the walk */
    uint32_t n, arcs_room, on_chain_room;
    struct mp_map ids;          /* by caller and callee */
    struct mp_arena *arena;     /* not owned */
};

void mp_arcs_init(struct mp_arcs *table, struct mp_arena *arena);

/* Id of the arc, made when it is new. */
uint32_t mp_arcs_find(struct mp_arcs *table, uint32_t caller, uint32_t callee);

/* Copy the arcs into GRAPH, sorted, and set its nodes' lists of them. */
void mp_arcs_finish(struct mp_arcs *table, struct mp_graph *graph);

#endif
