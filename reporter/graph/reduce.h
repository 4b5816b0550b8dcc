/* SPDX-License-Identifier: MIT */
/*
 * reduce.h -- the function graph as the tables show it, with merged cycles and sorted entries.
 *
 * A cycle is a strongly connected component of more than one function. There is an entry for each function, and
 * one for each cycle as if it were a single function. The graph of components has no cycles, so a chain enters a
 * component at most once. Therefore the arcs of a cycle are the sums of its members' arcs, and no byte is
 * counted twice. For all entries except members of cycles
 *     called + root = inclusive = self + calling
 * holds exactly. `called` is the sum of the rows of ancestors, and `calling` that of the rows of descendants.
 */
#ifndef MP_REDUCE_H
#define MP_REDUCE_H

#include "graph.h"

/* An arc, seen from one of its ends. */
struct mp_row {
    uint32_t function;          /* the other end */
    bool same_cycle;            /* whether both ends are in one cycle. Each byte then counts once in this row, but
                                   rows overlap, because a chain may take many arcs of a cycle */
    const struct mp_sums *sums;
};

struct mp_entry {
    uint32_t function;          /* MP_NO_ID if the entry is a whole cycle */
    uint32_t cycle;             /* number of the cycle, from 1, or 0 if it is in none */
    struct mp_sums self, inclusive, called, calling, root;      /* as in struct mp_node */
    uint64_t recur;             /* function: as in struct mp_node; cycle: number of calls inside it on a chain,
                                   summed over allocations */
    struct mp_row *ancestors;   uint32_t n_ancestors;   /* sorted by bytes, largest first, without self-arcs */
    struct mp_row *descendants; uint32_t n_descendants;
    uint32_t *members;          uint32_t n_members;     /* of a whole cycle: functions, sorted by self */
};

struct mp_reduced {
    const struct mp_profile *profile;
    const struct mp_graph *graph;
    struct mp_entry *entries;   /* sorted by inclusive bytes, largest first; if equal, callers before callees */
    uint32_t n_entries;
    uint32_t *entry_of;         /* by function: index in `entries`, or MP_NO_ID */
    uint32_t *entry_of_cycle;   /* index in `entries` by the cycle's number, which starts at 1 */
    uint32_t n_cycles;          /* cycles are numbered in the order of `entries` */
    uint32_t *direct;           /* functions that allocate themselves, sorted by self bytes, largest first */
    uint32_t n_direct;
    struct mp_arena *arena;     /* owns everything above except profile and graph */
};

/* Reduces GRAPH of PROFILE. Both must outlive the result. The caller frees it with mp_reduced_free(). */
struct mp_reduced *mp_reduce(const struct mp_profile *profile, const struct mp_graph *graph);
void mp_reduced_free(struct mp_reduced *reduced);

/* Sorts rows by bytes, largest first, then in the order of entries. */
void mp_reduced_sort(const struct mp_reduced *reduced, struct mp_row *rows, uint32_t n_rows);

#endif
