/* SPDX-License-Identifier: MIT */
/*
 * The algorithm of R. Tarjan, Depth-first search and linear graph algorithms, SIAM J. Comput. 1 (1972), with an
 * array instead of the call stack. A node whose component is known has low = DONE, which replaces the flag "on
 * stack".
 */
#include "scc.h"

#include "reporter/base/arena.h"

#define UNSEEN 0
#define DONE UINT32_MAX

struct search {
    const uint32_t *first, *targets;
    uint32_t *component;
    uint32_t *visit;            /* order in which the node was visited, from 1 */
    uint32_t *low;              /* smallest visit number reached from the node, or UNSEEN, or DONE */
    uint32_t *next;             /* index of the node's next arc to follow */
    uint32_t *path, n_path;     /* nodes from the start of the search to the present one */
    uint32_t *open, n_open;     /* visited nodes whose component is not yet complete */
    uint32_t visits, n_components;
};

static void
enter(struct search *s, uint32_t node)
{
    s->visit[node] = s->low[node] = ++s->visits;
    s->next[node] = s->first[node];
    s->path[s->n_path++] = node;
    s->open[s->n_open++] = node;
}

/* Completes the component whose first visited node is NODE. It consists of all open nodes from NODE on. */
static void
close_component(struct search *s, uint32_t node)
{
    uint32_t member;

    do {
        member = s->open[--s->n_open];
        s->component[member] = s->n_components;
        s->low[member] = DONE;
    } while (member != node);
    s->n_components++;
}

static void
leave(struct search *s, uint32_t node)
{
    uint32_t low = s->low[node];

    s->n_path--;
    if (low == s->visit[node])
        close_component(s, node);
    else if (s->low[s->path[s->n_path - 1]] > low)
        s->low[s->path[s->n_path - 1]] = low;
}

static void
search_from(struct search *s, uint32_t start)
{
    enter(s, start);
    while (s->n_path > 0) {
        uint32_t node = s->path[s->n_path - 1];
        uint32_t target;

        if (s->next[node] == s->first[node + 1]) {
            leave(s, node);
            continue;
        }
        target = s->targets[s->next[node]++];
        if (s->low[target] == UNSEEN)
            enter(s, target);
        else if (s->low[target] != DONE && s->visit[target] < s->low[node])
            s->low[node] = s->visit[target];
    }
}

uint32_t
mp_scc(uint32_t n_nodes, const uint32_t *first, const uint32_t *targets, uint32_t *component)
{
    struct mp_arena *arena = mp_arena_new();
    size_t size = n_nodes * sizeof(uint32_t);
    struct search s = {
        .first = first, .targets = targets, .component = component,
        .visit = mp_arena_alloc(arena, size), .low = mp_arena_alloc(arena, size),
        .next = mp_arena_alloc(arena, size), .path = mp_arena_alloc(arena, size),
        .open = mp_arena_alloc(arena, size)
    };

    for (uint32_t node = 0; node < n_nodes; node++)
        if (s.low[node] == UNSEEN)
            search_from(&s, node);
    mp_arena_free(arena);
    return s.n_components;
}
