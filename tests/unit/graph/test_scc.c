#include "tests/unit/tap.h"

#include <stdbool.h>
#include <string.h>

#include "reporter/graph/scc.h"

#define NODES 24

/* Makes the successor lists FIRST and TARGETS of the graph with the adjacency matrix ARC. */
static void
lists(uint32_t n, bool arc[NODES][NODES], uint32_t *first, uint32_t *targets)
{
    uint32_t n_arcs = 0;

    for (uint32_t i = 0; i < n; i++) {
        first[i] = n_arcs;
        for (uint32_t j = 0; j < n; j++)
            if (arc[i][j])
                targets[n_arcs++] = j;
    }
    first[n] = n_arcs;
}

TEST(nothing_has_no_component)
{
    uint32_t first[1] = { 0 };

    ck_assert_uint_eq(mp_scc(0, first, NULL, NULL), 0);
}

TEST(a_self_arc_is_a_component_of_one)
{
    uint32_t first[] = { 0, 2, 2 }, targets[] = { 0, 1 }, component[2];

    ck_assert_uint_eq(mp_scc(2, first, targets, component), 2);
    ck_assert_uint_ne(component[0], component[1]);
}

TEST(two_cycles_that_share_a_node_are_one)
{
    /* arcs 0 -> 1 -> 2 -> 0 and 2 -> 3 -> 2, one into this component from 4, and one out of it to 5 */
    uint32_t first[] = { 0, 1, 2, 4, 6, 7, 7 }, targets[] = { 1, 2, 0, 3, 2, 5, 0 };
    uint32_t component[6];

    ck_assert_uint_eq(mp_scc(6, first, targets, component), 3);
    ck_assert_uint_eq(component[0], component[1]);
    ck_assert_uint_eq(component[0], component[2]);
    ck_assert_uint_eq(component[0], component[3]);
    ck_assert_uint_lt(component[0], component[4]);
    ck_assert_uint_lt(component[5], component[0]);
}

/* Compares the components with the definition: two nodes are in one component if each reaches the other. */
static void
check_graph(uint32_t n, bool arc[NODES][NODES])
{
    bool reach[NODES][NODES];
    uint32_t first[NODES + 1], targets[NODES * NODES], component[NODES];

    memcpy(reach, arc, sizeof reach);
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++)
                reach[i][j] |= reach[i][k] && reach[k][j];
    lists(n, arc, first, targets);
    mp_scc(n, first, targets, component);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            bool same = i == j || (reach[i][j] && reach[j][i]);

            ck_assert_int_eq(component[i] == component[j], same);
            if (arc[i][j])
                ck_assert_uint_ge(component[i], component[j]);
        }
}

TEST_LOOP(random_graphs_by_definition, 0, 200)
{
    unsigned short seed[3] = { 19, 88, (unsigned short)_i };
    uint32_t n = 1 + (uint32_t)nrand48(seed) % NODES;
    long density = 1 + nrand48(seed) % 40;
    bool arc[NODES][NODES] = { 0 };

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            arc[i][j] = nrand48(seed) % 100 < density;
    check_graph(n, arc);
}

TEST(a_million_deep)
{
    uint32_t n = 1000000;
    uint32_t *first = malloc((n + 1) * sizeof *first), *targets = malloc(n * sizeof *targets);
    uint32_t *component = malloc(n * sizeof *component);

    ck_assert(first && targets && component);
    for (uint32_t i = 0; i <= n; i++)
        first[i] = i;
    for (uint32_t i = 0; i < n; i++)
        targets[i] = (i + 1) % n;
    ck_assert_uint_eq(mp_scc(n, first, targets, component), 1);
    first[n] = n - 1;           /* without the arc back */
    ck_assert_uint_eq(mp_scc(n, first, targets, component), n);
    ck_assert_uint_eq(component[0], n - 1);
    free(first);
    free(targets);
    free(component);
}
/* SPDX-License-Identifier: MIT */
