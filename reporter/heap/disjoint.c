/* SPDX-License-Identifier: MIT */
#include "disjoint.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/base/search.h"

struct flow {
    const struct mp_heap *heap;
    mp_heap_in_set *in_set;
    const void *data;
    uint32_t n_references;      /* including the edges of tops */
    uint32_t *first_in;         /* by node, n_nodes + 1 entries: index of its first incoming reference in `in` */
    uint32_t *in;               /* references, grouped by the node that they lead to */
    uint32_t *from;             /* source node of each entry of `in` */
    uint64_t *used;             /* bit by reference: whether the flow passes through it */
    /* The result of the last search, by node: the next node on the path to the set, and the reference between the two.
     * If this reference leads from the next node to this one, augmenting takes back the flow through it. Both are
     * MP_NO_ID if the search did not reach the node. */
    uint32_t *next, *by;
    uint32_t *queue;
};

static bool
is_used(const struct flow *flow, uint32_t reference)
{
    return flow->used[reference / 64] >> reference % 64 & 1;
}

static void
flip(struct flow *flow, uint32_t reference)
{
    flow->used[reference / 64] ^= (uint64_t)1 << reference % 64;
}

/* Returns whether TO is a top. Edges to tops have unlimited capacity. */
static bool
is_wide(const struct mp_heap *heap, uint32_t to)
{
    return to >= heap->n_objects;
}

static bool
is_weak(const struct mp_heap *heap, uint32_t reference)
{
    return heap->slots[reference] & MP_REFERENCE_WEAK;
}

/* Fills `first_in`, `in` and `from` by a counting sort. */
static void
sort_by_target(struct flow *flow)
{
    const struct mp_heap *heap = flow->heap;
    uint32_t *at = mp_need(calloc((size_t)heap->n_nodes + 1, sizeof *at));

    flow->first_in = at;
    for (uint32_t i = 0; i < flow->n_references; i++)
        at[heap->to[i]]++;
    for (uint32_t i = 0; i < heap->n_nodes; i++)
        at[i + 1] += at[i];     /* at[i] is now the end of node i, and is moved to its start below */
    for (uint32_t node = heap->n_nodes; node-- > 0;)
        for (uint32_t i = heap->first[node]; i < heap->first[node + 1]; i++) {
            const uint32_t place = --at[heap->to[i]];

            flow->in[place] = i;
            flow->from[place] = node;
        }
}

/* Appends NODE to the queue if the search has not reached it yet. NEXT and BY are as in struct flow. */
static void
meet(struct flow *flow, uint32_t node, uint32_t next, uint32_t by, uint32_t *n)
{
    if (flow->next[node] != MP_NO_ID)
        return;
    flow->next[node] = next;
    flow->by[node] = by;
    flow->queue[(*n)++] = node;
}

/* Searches backwards from the set for an augmenting path. Returns whether it reached the node of all roots. */
static bool
search(struct flow *flow)
{
    const struct mp_heap *heap = flow->heap;
    uint32_t n = 0;

    memset(flow->next, 0xff, (size_t)heap->n_nodes * sizeof *flow->next);
    for (uint32_t i = 0; i < heap->n_objects; i++)
        if (flow->in_set(heap, i, flow->data))
            meet(flow, i, i, 0, &n);
    for (uint32_t taken = 0; taken < n; taken++) {
        const uint32_t node = flow->queue[taken];

        if (node == mp_heap_all_roots(heap))
            return true;
        for (uint32_t i = flow->first_in[node]; i < flow->first_in[node + 1]; i++)
            if (!is_weak(heap, flow->in[i]) && !is_used(flow, flow->in[i]))
                meet(flow, flow->from[i], node, flow->in[i], &n);
        for (uint32_t i = heap->first[node]; i < heap->first[node + 1]; i++)
            if (is_used(flow, i))
                meet(flow, heap->to[i], node, i, &n);
    }
    return false;
}

/* Changes the flow along the path that the last search found. */
static void
augment(struct flow *flow)
{
    const struct mp_heap *heap = flow->heap;

    for (uint32_t at = mp_heap_all_roots(heap); flow->next[at] != at; at = flow->next[at])
        if (!is_wide(heap, heap->to[flow->by[at]]))
            flip(flow, flow->by[at]);
}

static int
by_length(const void *a, const void *b)
{
    const struct mp_heap_way *x = a, *y = b;

    return x->n != y->n ? mp_order(x->n, y->n)
           : mp_order(x->links[0].reference, y->links[0].reference);
}

/* Returns the path that begins with REFERENCE from ROOT, and removes its references from the flow. */
static struct mp_heap_way
take_way(struct flow *flow, uint32_t root, uint32_t reference, struct mp_arena *arena)
{
    const struct mp_heap *heap = flow->heap;
    struct mp_heap_way way = {0};
    uint32_t room = 0, from = root;

    for (;;) {
        const uint32_t to = heap->to[reference];

        flip(flow, reference);
        way.links = mp_arena_grow(arena, way.links, way.n, &room, sizeof *way.links);
        way.links[way.n++] = (struct mp_heap_link){from, to, reference};
        if (flow->in_set(heap, to, flow->data))
            return way;
        for (reference = heap->first[to]; reference < heap->first[to + 1] && !is_used(flow, reference); reference++)
            continue;
        if (reference == heap->first[to + 1])
            return way;
        from = to;
    }
}

static void
take_ways(struct flow *flow, struct mp_heap_ways *ways, struct mp_arena *arena)
{
    const struct mp_heap *heap = flow->heap;
    uint32_t n = 0;

    ways->list = mp_arena_alloc(arena, ((size_t)ways->n + 1) * sizeof *ways->list);
    for (uint32_t node = heap->n_objects; node < heap->n_nodes; node++)
        for (uint32_t i = heap->first[node]; i < heap->first[node + 1] && n < ways->n; i++)
            if (is_used(flow, i))
                ways->list[n++] = take_way(flow, node, i, arena);
    if (n > 0)
        qsort(ways->list, n, sizeof *ways->list, by_length);
}

/* Stores the minimum cut: the references from nodes that the last search did not reach to nodes that it did. */
static void
take_cut(const struct flow *flow, struct mp_heap_ways *ways, struct mp_arena *arena)
{
    const struct mp_heap *heap = flow->heap;

    ways->cut = mp_arena_alloc(arena, ((size_t)ways->n + 1) * sizeof *ways->cut);
    for (uint32_t node = 0; node < heap->n_nodes; node++)
        for (uint32_t i = heap->first[node]; i < heap->first[node + 1] && flow->next[node] == MP_NO_ID; i++)
            if (!is_weak(heap, i) && flow->next[heap->to[i]] != MP_NO_ID && ways->n_cut < ways->n)
                ways->cut[ways->n_cut++] = (struct mp_heap_link){node, heap->to[i], i};
}

struct mp_heap_ways
mp_heap_disjoint(const struct mp_heap *heap, mp_heap_in_set *in_set, const void *data, uint32_t most,
                 struct mp_arena *arena)
{
    struct flow flow = {.heap = heap, .in_set = in_set, .data = data, .n_references = heap->first[heap->n_nodes]};
    struct mp_heap_ways ways = {0};

    flow.in = mp_need(malloc(((size_t)flow.n_references + 1) * sizeof *flow.in));
    flow.from = mp_need(malloc(((size_t)flow.n_references + 1) * sizeof *flow.from));
    flow.used = mp_need(calloc((size_t)flow.n_references / 64 + 1, sizeof *flow.used));
    flow.next = mp_need(malloc(((size_t)heap->n_nodes + 1) * sizeof *flow.next));
    flow.by = mp_need(malloc(((size_t)heap->n_nodes + 1) * sizeof *flow.by));
    flow.queue = mp_need(malloc(((size_t)heap->n_nodes + 1) * sizeof *flow.queue));
    sort_by_target(&flow);
    while (search(&flow)) {
        ways.more = ways.n == most;
        if (ways.more)
            break;
        augment(&flow);
        ways.n++;
    }
    if (!ways.more)
        take_cut(&flow, &ways, arena);
    take_ways(&flow, &ways, arena);
    free(flow.first_in);
    free(flow.in);
    free(flow.from);
    free(flow.used);
    free(flow.next);
    free(flow.by);
    free(flow.queue);
    return ways;
}

void
mp_heap_referrers(const struct mp_heap *heap, mp_heap_in_set *in_set, const void *data, mp_heap_take_link *take,
                  void *to)
{
    for (uint32_t node = 0; node < heap->n_nodes; node++) {
        struct mp_heap_walk walk = mp_heap_walk(heap, node);

        while (mp_heap_next(heap, &walk))
            if (walk.to < heap->n_objects && in_set(heap, walk.to, data))
                take(to, &(struct mp_heap_link){node, walk.to, walk.at - 1}, &walk);
    }
}
