/* SPDX-License-Identifier: MIT */
/* Traversals use an explicit stack or queue, which is usually short. */
#include "reach.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/base/search.h"

#define SOME    64u             /* nodes that are prefetched together */
#define FETCHED 4u              /* references of each node whose targets are prefetched */

struct waiting {
    uint32_t *nodes;
    uint32_t n, room;
};

static void
push(struct waiting *waiting, uint32_t node)
{
    if (waiting->n == waiting->room)
        waiting->nodes = mp_grow(waiting->nodes, waiting->n, &waiting->room, sizeof *waiting->nodes);
    waiting->nodes[waiting->n++] = node;
}

/* Takes up to SOME nodes from the stack and returns their number. Prefetches their references and the entries in
 * MARKS, of SIZE bytes each, of the nodes that they refer to. */
static uint32_t
take_some(const struct mp_heap *heap, struct waiting *waiting, const void *marks, size_t size,
          uint32_t some[static SOME])
{
    const uint32_t n = waiting->n < SOME ? waiting->n : SOME;

    if (n == 0)
        return 0;
    waiting->n -= n;
    memcpy(some, waiting->nodes + waiting->n, n * sizeof *some);
    for (uint32_t i = 0; i < n; i++)
        __builtin_prefetch(&heap->first[some[i]]);
    for (uint32_t i = 0; i < n; i++) {
        __builtin_prefetch(&heap->to[heap->first[some[i]]]);
        __builtin_prefetch(&heap->slots[heap->first[some[i]]]);
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = heap->first[some[i]]; k < heap->first[some[i] + 1] && k < heap->first[some[i]] + FETCHED; k++)
            __builtin_prefetch((const char *)marks + heap->to[k] * size);
    return n;
}

/* Marks everything that is reachable from the waiting nodes with MARK. Ignores references with any of the bits NOT,
 * and does not pass through nodes that are already marked. */
static void
spread(const struct mp_heap *heap, struct waiting *waiting, uint8_t *marks, uint8_t mark, uint8_t not)
{
    uint32_t some[SOME], n;

    while ((n = take_some(heap, waiting, marks, sizeof *marks, some)) > 0)
        while (n-- > 0)
            for (uint32_t i = heap->first[some[n]]; i < heap->first[some[n] + 1]; i++)
                if ((heap->slots[i] & not) == 0 && marks[heap->to[i]] == 0) {
                    marks[heap->to[i]] = mark;
                    push(waiting, heap->to[i]);
                }
}

uint8_t *
mp_heap_reach(const struct mp_heap *heap, uint32_t kinds)
{
    uint8_t *marks = mp_need(calloc((size_t)heap->n_nodes + 1, 1));
    struct waiting waiting = {0};

    for (uint32_t i = 0; i < heap->n_tops; i++)
        if (heap->tops[i].level == MP_TOP_ROOT && kinds >> heap->tops[i].kind & 1) {
            marks[heap->n_objects + i] = MP_REACH_START;
            push(&waiting, heap->n_objects + i);
        }
    spread(heap, &waiting, marks, MP_REACH_START, MP_REFERENCE_WEAK | MP_REFERENCE_INSIDE);
    for (uint32_t node = 0; node < heap->n_nodes; node++)
        if (marks[node] == MP_REACH_START) {
            push(&waiting, node);
            spread(heap, &waiting, marks, MP_REACH_INSIDE, MP_REFERENCE_WEAK);
        }
    free(waiting.nodes);
    return marks;
}

/* ---------------------------------------------------------------- lasting */

/* Returns whether TOP is a stack, a thread, or a group or kind of such roots. Their words may be leftovers. */
static bool
is_passing(const struct mp_heap_top *top)
{
    return top->level != MP_TOP_ALL && (top->kind == MP_ROOT_STACK || top->kind == MP_ROOT_THREAD);
}

/* Marks the tops for which is_passing() returns PASSING, and everything that is reachable from their roots and not
 * marked yet. */
static void
reach_tops(const struct mp_heap *heap, bool passing, uint8_t *marks, uint8_t mark)
{
    struct waiting waiting = {0};

    for (uint32_t i = 0; i < heap->n_tops; i++)
        if (is_passing(&heap->tops[i]) == passing) {
            marks[heap->n_objects + i] = mark;
            if (heap->tops[i].level == MP_TOP_ROOT)
                push(&waiting, heap->n_objects + i);
        }
    spread(heap, &waiting, marks, mark, MP_REFERENCE_WEAK);
    free(waiting.nodes);
}

static bool
has_passing(const struct mp_heap *heap)
{
    for (uint32_t i = 0; i < heap->n_tops; i++)
        if (is_passing(&heap->tops[i]))
            return true;
    return false;
}

/* Marks the references that are left out as weak. */
static void
leave_out(struct mp_heap *heap)
{
    for (uint32_t node = 0; node < heap->n_nodes; node++)
        for (uint32_t i = heap->first[node]; i < heap->first[node + 1]; i++)
            if (mp_heap_is_left_out(heap, node, heap->to[i]))
                heap->slots[i] |= MP_REFERENCE_WEAK;
    for (uint32_t i = 0; i < heap->n_top_edges; i++)
        if (mp_heap_is_left_out(heap, heap->top_edges[i].from, heap->top_edges[i].to))
            heap->top_edges[i].slot |= MP_REFERENCE_WEAK;
}

void
mp_heap_prefer_lasting(struct mp_heap *heap)
{
    enum { LASTING = 1, PASSING };
    uint8_t *marks;

    if (heap->passing || !has_passing(heap))
        return;
    marks = mp_need(calloc((size_t)heap->n_nodes + 1, 1));
    reach_tops(heap, false, marks, LASTING);
    reach_tops(heap, true, marks, PASSING);
    heap->passing = mp_need(calloc((size_t)heap->n_nodes / 64 + 1, sizeof *heap->passing));
    for (uint32_t node = 0; node < heap->n_nodes; node++)
        heap->passing[node / 64] |= (uint64_t)(marks[node] == PASSING) << node % 64;
    free(marks);
    leave_out(heap);
}

/* ---------------------------------------------------------------- without */

bool
mp_heap_in_none(const struct mp_heap *heap, uint32_t node, const void *data)
{
    (void)heap, (void)node, (void)data;
    return false;
}

uint8_t *
mp_heap_reach_without(const struct mp_heap *heap, mp_heap_in_set *in_set, const void *data)
{
    uint8_t *marks = mp_need(calloc((size_t)heap->n_nodes + 1, 1));
    struct waiting waiting = {0};

    for (uint32_t node = 0; node < heap->n_nodes; node++)
        marks[node] = in_set(heap, node, data) ? 2 : 0;
    if (marks[mp_heap_all_roots(heap)] == 0) {
        marks[mp_heap_all_roots(heap)] = 1;
        push(&waiting, mp_heap_all_roots(heap));
    }
    spread(heap, &waiting, marks, 1, MP_REFERENCE_WEAK);
    for (uint32_t node = 0; node < heap->n_nodes; node++)
        marks[node] = marks[node] == 1;
    free(waiting.nodes);
    return marks;
}

uint8_t *
mp_heap_reach_from(const struct mp_heap *heap, uint32_t node)
{
    uint8_t *marks = mp_need(calloc((size_t)heap->n_nodes + 1, 1));
    struct waiting waiting = {0};

    marks[node] = 1;
    push(&waiting, node);
    spread(heap, &waiting, marks, 1, MP_REFERENCE_WEAK);
    free(waiting.nodes);
    return marks;
}

/* ------------------------------------------------------------------- sets */

#define SEVERAL (MP_NO_ID - 1)

/* Propagates sets along references. A node belongs to no set, one set or SEVERAL, so it changes at most twice. */
static void
spread_sets(const struct mp_heap *heap, struct waiting *waiting, uint32_t *of)
{
    uint32_t some[SOME], n;

    while ((n = take_some(heap, waiting, of, sizeof *of, some)) > 0)
        while (n-- > 0) {
            const uint32_t set = of[some[n]];

            for (uint32_t i = heap->first[some[n]]; i < heap->first[some[n] + 1]; i++) {
                const uint32_t to = heap->to[i], joined = of[to] == MP_NO_ID || of[to] == set ? set : SEVERAL;

                if ((heap->slots[i] & MP_REFERENCE_WEAK) == 0 && joined != of[to]) {
                    of[to] = joined;
                    push(waiting, to);
                }
            }
        }
}

void
mp_heap_only_from(const struct mp_heap *heap, const uint32_t *set_of, uint32_t n, struct mp_heap_sum *sums)
{
    uint32_t *of = mp_need(malloc(((size_t)heap->n_nodes + 1) * sizeof *of));
    struct waiting waiting = {0};

    for (uint32_t node = 0; node < heap->n_nodes; node++)
        of[node] = MP_NO_ID;
    for (uint32_t i = 0; i < heap->n_tops; i++)
        if (heap->tops[i].level == MP_TOP_ROOT) {
            of[heap->n_objects + i] = set_of[i] < n ? set_of[i] : SEVERAL;
            push(&waiting, heap->n_objects + i);
        }
    spread_sets(heap, &waiting, of);
    for (uint32_t object = 0; object < heap->n_objects; object++)
        if (of[object] < n) {
            sums[of[object]].objects += !mp_heap_is_part(heap, object);
            sums[of[object]].bytes += mp_heap_size(heap, object);
        }
    free(waiting.nodes);
    free(of);
}

/* ------------------------------------------------------------------- path */

/* A queue. Nodes that were taken stay at the front until they are more than half of the nodes in memory. */
struct queue {
    struct waiting in;
    uint32_t taken;
};

static uint32_t
take(struct queue *queue)
{
    if (queue->taken > 1024 && queue->taken > queue->in.n / 2) {
        queue->in.n -= queue->taken;
        memmove(queue->in.nodes, queue->in.nodes + queue->taken, queue->in.n * sizeof *queue->in.nodes);
        queue->taken = 0;
    }
    return queue->in.nodes[queue->taken++];
}

/* Searches breadth-first. Writes to MET_FROM, by node, the node from which it was reached. Returns the first node of
 * the set that was reached, or MP_NO_ID. */
static uint32_t
search(const struct mp_heap *heap, uint32_t from, mp_heap_in_set *in_set, const void *data, uint32_t *met_from)
{
    struct queue queue = {0};
    uint32_t found = MP_NO_ID;

    memset(met_from, 0xff, ((size_t)heap->n_nodes + 1) * sizeof *met_from);
    met_from[from] = from;
    push(&queue.in, from);
    while (queue.taken < queue.in.n) {
        uint32_t node = take(&queue);

        if (in_set(heap, node, data)) {
            found = node;
            break;
        }
        for (uint32_t i = heap->first[node]; i < heap->first[node + 1]; i++)
            if ((heap->slots[i] & MP_REFERENCE_WEAK) == 0 && met_from[heap->to[i]] == MP_NO_ID) {
                met_from[heap->to[i]] = node;
                push(&queue.in, heap->to[i]);
            }
    }
    free(queue.in.nodes);
    return found;
}

/* Returns the path from FROM to NODE, and sets *N to its number of nodes. */
static uint32_t *
path_to(const uint32_t *met_from, uint32_t from, uint32_t node, uint32_t *n)
{
    uint32_t *path;

    *n = 0;
    for (uint32_t at = node; *n = *n + 1, at != from; at = met_from[at])
        continue;
    path = mp_need(malloc(*n * sizeof *path));
    for (uint32_t i = *n, at = node; i > 0; at = met_from[at])
        path[--i] = at;
    return path;
}

uint32_t *
mp_heap_path(const struct mp_heap *heap, uint32_t from, mp_heap_in_set *in_set, const void *data, uint32_t *n)
{
    uint32_t *met_from = mp_need(malloc(((size_t)heap->n_nodes + 1) * sizeof *met_from)), *path = NULL;
    const uint32_t node = search(heap, from, in_set, data, met_from);

    if (node == MP_NO_ID)
        *n = 0;
    else
        path = path_to(met_from, from, node, n);
    free(met_from);
    return path;
}

/* ---------------------------------------------------------------- origins */

static int
by_objects(const void *a, const void *b)
{
    const struct mp_heap_origin *x = a, *y = b;

    return x->objects != y->objects ? mp_order(y->objects, x->objects) : mp_order(x->top, y->top);
}

/* Returns the root on the path to NODE as a node. Writes it to ORIGIN, by node, for all nodes of the path below the
 * root, so that no part of a path is followed twice. */
static uint32_t
origin_of(const struct mp_heap *heap, const uint32_t *met_from, uint32_t *origin, uint32_t node)
{
    uint32_t at = node, root;

    while (at < heap->n_objects && origin[at] == MP_NO_ID)
        at = met_from[at];
    root = at < heap->n_objects ? origin[at] : at;
    for (; node < heap->n_objects && origin[node] == MP_NO_ID; node = met_from[node])
        origin[node] = root;
    return root;
}

struct mp_heap_origins
mp_heap_origins(const struct mp_heap *heap, mp_heap_in_set *in_set, const void *data)
{
    const uint32_t all = mp_heap_all_roots(heap);
    uint32_t *met_from = mp_need(malloc(((size_t)heap->n_nodes + 1) * sizeof *met_from));
    uint32_t *origin = mp_need(malloc(((size_t)heap->n_objects + 1) * sizeof *origin));
    struct mp_heap_origins origins = {.list = mp_need(calloc((size_t)heap->n_tops + 1, sizeof *origins.list))};
    uint64_t left;

    search(heap, all, mp_heap_in_none, NULL, met_from);
    memset(origin, 0xff, (size_t)heap->n_objects * sizeof *origin);
    for (uint32_t i = 0; i < heap->n_tops; i++)
        origins.list[i].top = i;
    for (uint32_t i = 0; i < heap->n_objects; i++)
        if (met_from[i] != MP_NO_ID && !mp_heap_is_part(heap, i) && in_set(heap, i, data)) {
            origins.list[origin_of(heap, met_from, origin, i) - heap->n_objects].objects++;
            origins.objects++;
        }
    qsort(origins.list, heap->n_tops, sizeof *origins.list, by_objects);
    while (origins.n < heap->n_tops && origins.list[origins.n].objects > 0)
        origins.n++;
    left = origins.n > 0 ? origins.list[0].objects / 2 : 0;
    for (uint32_t i = 0; i < heap->n_objects && origins.n > 0 && !origins.path; i++)
        if (met_from[i] != MP_NO_ID && !mp_heap_is_part(heap, i) && in_set(heap, i, data) &&
            origin[i] == heap->n_objects + origins.list[0].top && left-- == 0)
            origins.path = path_to(met_from, all, i, &origins.n_path);
    free(met_from);
    free(origin);
    return origins;
}

void
mp_heap_origins_free(struct mp_heap_origins *origins)
{
    free(origins->list);
    free(origins->path);
}
