/*
 * graph.h -- the function graph: who allocated, and on whose behalf, exactly.
 *
 * Made from the whole chains of a profile by one walk over its contexts.  A node is a function of
 * the profile (same id), an arc a (caller, callee) pair.  Only chains that allocated take part.
 * Each allocation is credited once to a function and once to an arc, however often these recur in
 * its chain; further occurrences are counted in `recur`.
 *
 * For everybody who shows call graphs (tables, pages, exports); printing is elsewhere.
 */
#ifndef MP_GRAPH_H
#define MP_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "reporter/profile/profile.h"
#include "sums.h"

struct mp_graph_options {
    bool keep_startup;          /* show what the C library puts above main and thread functions */
    const struct mp_breakdown_style *style;     /* NULL: mp_breakdown_c */
};

/* `self` and `inclusive` are the figures of the report.  `called` and `calling` leave out calls of
 * a function by itself; for a function outside every cycle
 *     called + root = inclusive = self + calling. */
struct mp_node {
    struct mp_sums self;        /* allocated with the function at the inner end of the chain */
    struct mp_sums inclusive;   /* allocated with the function anywhere on the chain */
    struct mp_sums called;      /* ... while another function had called it */
    struct mp_sums calling;     /* ... while it had called another function */
    struct mp_sums root;        /* ... with the function at the outer end of the chain */
    uint64_t recur;             /* occurrences on chains beyond the first, once per allocation */
    uint32_t depth;             /* callers above it on the shortest chain */
    uint32_t first_in, n_in;    /* in mp_graph.in: arcs to the function, by caller */
    uint32_t first_out, n_out;  /* in mp_graph.arcs: arcs from the function, by callee */
};

struct mp_arc {
    uint32_t caller, callee;    /* equal: a function that calls itself */
    struct mp_sums sums;        /* allocated with the arc anywhere on the chain */
    uint64_t recur;             /* occurrences on chains beyond the first, once per allocation */
};

struct mp_graph {
    const struct mp_breakdown_style *style;
    struct mp_sums total;       /* of the profile */
    struct mp_node *nodes;      uint32_t n_nodes;   /* one for each function of the profile;
                                                       nothing inclusive: not in the graph */
    struct mp_arc *arcs;        uint32_t n_arcs;    /* sorted by caller, callee */
    uint32_t *in;               /* n_arcs ids of arcs, sorted by callee, caller */
    const bool *startup;        /* by context: its frame is left out, and chains begin below it,
                                   see mp_startup_contexts(); NULL: none is */
    struct mp_arena *arena;     /* owns all of the above */
};

/* PROFILE must be symbolised.  The caller frees the graph with mp_graph_free(). */
struct mp_graph *mp_graph_build(const struct mp_profile *profile,
                                const struct mp_graph_options *options);
void mp_graph_free(struct mp_graph *graph);

/* The functions that the frame of CONTEXT stands for, innermost first, as far as they count; N: how
 * many. */
const struct mp_location *mp_graph_locations(const struct mp_profile *profile, uint32_t context,
                                             uint32_t *n);

/* Add what CELL allocated, in the columns of GRAPH. */
void mp_graph_add_cell(const struct mp_graph *graph, struct mp_sums *sums,
                       const struct mp_cell *cell);

#endif
