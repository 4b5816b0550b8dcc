/* SPDX-License-Identifier: MIT */
/* scc.h -- strongly connected components of a directed graph, used to find the cycles of the call graph. */
#ifndef MP_SCC_H
#define MP_SCC_H

#include <stdint.h>

/* Finds the components of N_NODES nodes. The successors of node i are targets[first[i]] .. targets[first[i + 1]
 * - 1]. Sets component[i] for every node and returns the number of components. Components are numbered in
 * reverse topological order: an arc between two components goes from the higher to the lower number. Time and
 * memory are O(nodes + arcs), without recursion. */
uint32_t mp_scc(uint32_t n_nodes, const uint32_t *first, const uint32_t *targets,
                uint32_t *component);

#endif
