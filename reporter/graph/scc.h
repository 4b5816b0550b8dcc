/* scc.h -- strongly connected components of a directed graph: the cycles of the call graph. */
#ifndef MP_SCC_H
#define MP_SCC_H

#include <stdint.h>

/* The successors of node i are targets[first[i]] .. targets[first[i + 1] - 1], all < N_NODES.
 * Fills component[i] for every node and returns the number of components.  They are numbered in
 * reverse topological order: an arc between two components goes from the higher to the lower
 * number.  Time and memory O(nodes + arcs), no recursion. */
uint32_t mp_scc(uint32_t n_nodes, const uint32_t *first, const uint32_t *targets,
                uint32_t *component);

#endif
