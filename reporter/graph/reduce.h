/*
 * reduce.h -- the function graph as the tables show it: cycles merged, entries sorted.
 *
 * Strongly connected components of more than one function are the cycles.  There is an entry for
 * each function and one for each cycle, as if it were a single function; the component graph has
 * no cycles, so a chain enters a component at most once, and the arcs of a merged cycle are sums
 * of its members' arcs without any byte counted twice.  For entries other than members of cycles
 *     called + root = inclusive = self + calling
 * holds exactly, and `called` (`calling`) is the sum of the rows of ancestors (descendants).
 */
#ifndef MP_REDUCE_H
#define MP_REDUCE_H

#include "graph.h"

/* An arc as seen from one end. */
struct mp_row {
    uint32_t function;          /* the other end */
    bool same_cycle;            /* both ends in one cycle: each byte once for this row, but rows
                                   overlap, as a chain may take many arcs of a cycle */
    const struct mp_sums *sums;
};

struct mp_entry {
    uint32_t function;          /* MP_NO_ID: a whole cycle */
    uint32_t cycle;             /* number of the cycle, from 1; 0: in none */
    struct mp_sums self, inclusive, called, calling, root;      /* as in struct mp_node */
    uint64_t recur;             /* function: as in struct mp_node; cycle: calls inside it, each
                                   as often as it is on a chain, once per allocation */
    struct mp_row *ancestors;   uint32_t n_ancestors;   /* by bytes, decreasing; no self-arcs */
    struct mp_row *descendants; uint32_t n_descendants;
    uint32_t *members;          uint32_t n_members;     /* of a whole cycle: functions by self */
};

struct mp_reduced {
    const struct mp_profile *profile;
    const struct mp_graph *graph;
    struct mp_entry *entries;   /* by inclusive bytes, decreasing; then callers before callees */
    uint32_t n_entries;
    uint32_t *entry_of;         /* by function: its index in entries, or MP_NO_ID */
    uint32_t *entry_of_cycle;   /* by number of the cycle, from 1 */
    uint32_t n_cycles;          /* numbered in the order of entries */
    uint32_t *direct;           /* functions that allocate, by self bytes, decreasing */
    uint32_t n_direct;
    struct mp_arena *arena;     /* owns all of the above but profile and graph */
};

/* PROFILE and GRAPH must outlive the result, which the caller frees with mp_reduced_free(). */
struct mp_reduced *mp_reduce(const struct mp_profile *profile, const struct mp_graph *graph);
void mp_reduced_free(struct mp_reduced *reduced);

/* By bytes, decreasing; then in the order of entries. */
void mp_reduced_sort(const struct mp_reduced *reduced, struct mp_row *rows, uint32_t n_rows);

#endif
