/* SPDX-License-Identifier: MIT */
/*
 * graph.h -- the function graph: exact sums of what each function allocated and on whose behalf.
 *
 * reporter/graph/ owns sums over whole chains: this graph, its cycles (reduce.h), the tree of calls (tree.h), sites
 * (sites.h), and sums by line, size and responsible function. All of them are computed from a view of a profile and
 * change nothing in it. Tables, limits, exports and reporter/api.h call it.
 *
 * One walk over the contexts of a profile builds it from whole chains. A node is a function of the profile and
 * has its id. An arc is a (caller, callee) pair. Only chains with allocations are included. Each allocation is
 * credited once to a function and once to an arc, even if they occur several times on its chain. Further
 * occurrences are counted in `recur`.
 */
#ifndef MP_GRAPH_H
#define MP_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "breakdown_kinds.h"
#include "reporter/base/map.h"
#include "reporter/profile/profile.h"

/* Allocations, and bytes by column of a breakdown: the figures of nodes and arcs. Sums stop at UINT64_MAX instead of
 * wrapping around, because a damaged file may contain any figures. */
struct mp_sums {
    uint64_t allocs;
    uint64_t bytes[MP_COLUMNS];
    uint64_t kept[MP_COLUMNS];  /* see struct mp_counts */
    int64_t peak;               /* bytes alive at the peak */
    uint64_t temporary;         /* number of blocks */
    uint32_t columns;           /* bit set of the columns that may have bytes or kept bytes, mostly one or two */
    struct mp_spread spread;    /* variances of allocs, and of the bytes and kept bytes of all columns together */
};

static inline void
mp_sums_add(struct mp_sums *to, const struct mp_sums *from)
{
    to->allocs = mp_plus(to->allocs, from->allocs);
    to->columns |= from->columns;
    for (uint32_t left = from->columns; left != 0; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);

        to->bytes[i] = mp_plus(to->bytes[i], from->bytes[i]);
        to->kept[i] = mp_plus_kept(to->kept[i], from->kept[i]);
    }
    to->peak = mp_plus_signed(to->peak, from->peak);
    to->temporary = mp_plus(to->temporary, from->temporary);
    if (!mp_spread_is_exact(&from->spread))
        mp_spread_add(&to->spread, &from->spread);
}

static inline uint64_t
mp_sums_bytes(const struct mp_sums *sums)
{
    uint64_t all = 0;

    for (unsigned i = 0; i < MP_COLUMNS; i++)
        all = mp_plus(all, sums->bytes[i]);
    return all;
}

static inline uint64_t
mp_sums_kept(const struct mp_sums *sums)
{
    uint64_t all = 0;

    for (unsigned i = 0; i < MP_COLUMNS; i++)
        all = mp_plus_kept(all, sums->kept[i]);
    return all;
}

/* Returns SUMS as counts, with everything that an estimate needs. Other figures are 0. */
static inline struct mp_counts
mp_sums_counts(const struct mp_sums *sums)
{
    return (struct mp_counts){.allocs = sums->allocs, .bytes = mp_sums_bytes(sums),
                              .kept = mp_sums_kept(sums), .peak_bytes = sums->peak,
                              .temporary = sums->temporary, .spread = sums->spread};
}

/* See mp_counts_any(). */
static inline bool
mp_sums_any(const struct mp_sums *sums)
{
    return sums->allocs > 0 || mp_sums_bytes(sums) > 0 || mp_sums_kept(sums) != 0;
}

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

/* A table of arcs by (caller, callee), in which a graph is built. cycles.c uses it for sums of other pairs of numbers.
 * Pointers into `arcs` and `on_chain` are valid until the next mp_arcs_find(). */
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
