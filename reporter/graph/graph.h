/*
 * graph.h -- the function graph: exact sums of what each function allocated and on whose behalf.
 *
 * One walk over the contexts of a profile builds it from whole chains. A node is a function of the profile and
 * has its id. An arc is a (caller, callee) pair. Only chains with allocations are included. Each allocation is
 * credited once to a function and once to an arc, even if they occur several times on its chain. Further
 * occurrences are counted in `recur`.
 *
 * Tables, pages and exports of call graphs read it.
 */
#ifndef MP_GRAPH_H
#define MP_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "reporter/base/map.h"
#include "reporter/profile/profile.h"
#include "sums.h"

struct mp_graph_options {
    bool keep_startup;          /* include the C library's frames above main and thread functions */
    const struct mp_breakdown_style *style;     /* columns of the sums, or NULL for mp_breakdown_c */
};

/* Reports show `self` and `inclusive`. `called` and `calling` exclude a function's calls of itself. For a
 * function outside every cycle
 *     called + root = inclusive = self + calling. */
struct mp_node {
    struct mp_sums self;        /* allocated with the function at the inner end of the chain */
    struct mp_sums inclusive;   /* allocated with the function anywhere on the chain */
    struct mp_sums called;      /* the part of `inclusive` on chains where another function calls it */
    struct mp_sums calling;     /* the part of `inclusive` on chains where it calls another function */
    struct mp_sums root;        /* allocated with the function at the outer end of the chain */
    uint64_t recur;             /* number of occurrences beyond the first on a chain, summed over allocations */
    uint32_t depth;             /* number of callers above it on the shortest chain */
    uint32_t first_in, n_in;    /* arcs to the function in mp_graph.in, sorted by caller */
    uint32_t first_out, n_out;  /* arcs from the function in mp_graph.arcs, sorted by callee */
};

struct mp_arc {
    uint32_t caller, callee;    /* equal if a function calls itself */
    struct mp_sums sums;        /* allocated with the arc anywhere on the chain */
    uint64_t recur;             /* as in struct mp_node */
};

struct mp_graph {
    const struct mp_breakdown_style *style;
    struct mp_sums total;       /* of the whole profile */
    struct mp_node *nodes;      uint32_t n_nodes;   /* one for each function of the profile; if nothing is inclusive,
                                                       it is not in the graph */
    struct mp_arc *arcs;        uint32_t n_arcs;    /* sorted by caller, callee */
    uint32_t *in;               /* n_arcs ids of arcs, sorted by callee, then caller */
    const bool *startup;        /* by context: whether its frame is omitted, so that chains begin below it, see
                                   mp_startup_contexts(); NULL if none is omitted */
    struct mp_arena *arena;     /* owns everything above */
};

/* Builds the graph of PROFILE, which must be symbolised. The caller frees it with mp_graph_free(). */
struct mp_graph *mp_graph_build(const struct mp_profile *profile,
                                const struct mp_graph_options *options);
void mp_graph_free(struct mp_graph *graph);

/* Returns the *N locations of CONTEXT's frame that are used, innermost first. */
const struct mp_location *mp_graph_locations(const struct mp_profile *profile, uint32_t context,
                                             uint32_t *n);

/* Adds the counts of CELL to SUMS, in the columns of GRAPH. */
void mp_graph_add_cell(const struct mp_graph *graph, struct mp_sums *sums,
                       const struct mp_cell *cell);

/* ---------------------------------------------------------------- arcs */

/* A table of the arcs of a function graph, by (caller, callee), used while the graph is built. */

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

#endif
