/* SPDX-License-Identifier: MIT */
#include "dominate.h"

#include <stdlib.h>
#include <string.h>

#define AHEAD    4u             /* references of a node whose targets are prefetched when it is reached */
#define DISTANCE 16u            /* references between the one that is inspected and the one that is prefetched */
#define PIECE    (1u << 20)     /* number of sources that are freed at once */

/* State of the depth-first search. Reached nodes get the preorder numbers 0 to n - 1, and 0 is the node of all roots.
 * References are in memory during the search only. Afterwards they are read again, and those that are not edges of the
 * search tree are stored by target. */
struct search {
    struct mp_heap *heap;
    uint32_t n;
    struct step *steps;         /* by node; NULL after the search */
    uint32_t *number;           /* by node: its number, or MP_NO_ID if it was not reached */
    uint32_t *order;            /* by number: the node */
    uint32_t *parent;           /* by number: the number of its parent in the search tree */
    /* By number w, first the count of references to w that are not tree edges. Then the sources of w are
     * sources[entering[w - 1]] to before sources[entering[w]]. Finally, from the highest w down, the semidominator of
     * w. */
    uint32_t *entering;
    uint32_t *sources;
    uint32_t n_sources;         /* non-tree references that the search counted */
    uint64_t n_filled;          /* those found when the references were read again */
};

struct step {
    uint32_t number;            /* MP_NO_ID: not reached */
    uint32_t parent;            /* node from which it was reached, with the bit REFERS if it has references */
    uint32_t next;              /* next reference that the search follows from it, or MP_NO_ID after its last; after
                                   the search, the count of references to it that are not tree edges */
};

static uint32_t *
numbers(size_t n)
{
    return mp_need(malloc((n + 1) * sizeof(uint32_t)));
}

/* ----------------------------------------------------------------- search */

/* Node numbers are below 2^31, see MP_HEAP_MOST_OBJECTS, so bit 31 can be a flag. */
#define LAST   0x80000000u      /* flag of a node's last reference */
#define REFERS 0x80000000u

/* Replaces each weak reference by a reference of the source node to itself, which the search ignores. Flags the last
 * reference of each node. Frees the slots. */
static void
mark_references(struct mp_heap *heap)
{
    for (uint32_t node = 0; node < heap->n_nodes; node++) {
        const uint32_t start = heap->first[node], end = heap->first[node + 1];

        for (uint32_t i = start; i < end; i++)
            if (heap->slots[i] & MP_REFERENCE_WEAK)
                heap->to[i] = node;
        if (start < end)
            heap->to[end - 1] |= LAST;
    }
    mp_heap_forget_slots(heap);
}

/* Replaces the array of first references by steps, in place. A step is larger than an entry, so goes from the last node
 * down, where each step is written behind the entries that are still needed. */
static void
make_steps(struct search *search)
{
    struct mp_heap *heap = search->heap;
    uint32_t *first = mp_need(realloc(heap->first, ((size_t)heap->n_nodes + 1) * sizeof *search->steps));

    heap->first = NULL;
    search->steps = (struct step *)first;
    for (uint32_t node = heap->n_nodes; node-- > 0;) {
        const uint32_t start = first[node];
        const bool refers = start < first[node + 1];

        search->steps[node] = (struct step){MP_NO_ID, refers ? REFERS : 0, refers ? start : MP_NO_ID};
    }
}

/* Numbers NODE, reached from PARENT, and prefetches the first nodes that it refers to. */
static void
reach(struct search *search, uint32_t node, uint32_t parent)
{
    const uint32_t *to = search->heap->to;
    uint32_t i = search->steps[node].next;

    search->steps[node].number = search->n++;
    search->steps[node].parent |= parent;
    for (unsigned ahead = 0; i != MP_NO_ID && ahead < AHEAD; ahead++) {
        __builtin_prefetch(&search->steps[to[i] & ~LAST]);
        i = to[i] & LAST ? MP_NO_ID : i + 1;
    }
}

/* Numbers all reachable nodes in preorder. Returns to parents by step.parent, so no stack is needed. */
static void
search_depth_first(struct search *search)
{
    struct mp_heap *heap = search->heap;
    const uint32_t start = mp_heap_all_roots(heap);
    uint32_t node = start;

    reach(search, start, start);
    for (;;) {
        struct step *step = &search->steps[node];
        const uint32_t i = step->next;
        uint32_t to;

        if (i == MP_NO_ID) {
            if (node == start)
                break;
            node = step->parent & ~REFERS;
            continue;
        }
        to = heap->to[i] & ~LAST;
        step->next = heap->to[i] & LAST ? MP_NO_ID : i + 1;
        if (search->steps[to].number == MP_NO_ID) {
            reach(search, to, node);
            node = to;
        }
    }
}

/* Counts the references to each node that are not tree edges. All references from a node's parent count as tree
 * edges. */
static void
count_sources(struct search *search)
{
    const struct mp_heap *heap = search->heap;
    uint32_t i = 0;

    for (uint32_t node = 0; node < heap->n_nodes; node++)
        search->steps[node].next = 0;
    for (uint32_t node = 0; node < heap->n_nodes; node++) {
        const bool reached = search->steps[node].number != MP_NO_ID;

        for (bool more = search->steps[node].parent & REFERS; more; i++) {
            const uint32_t to = heap->to[i] & ~LAST;
            struct step *step = &search->steps[to];

            __builtin_prefetch(&search->steps[heap->to[i + DISTANCE < heap->n_references ? i + DISTANCE : i] & ~LAST]);
            more = (heap->to[i] & LAST) == 0;
            if (!reached || to == node || (step->parent & ~REFERS) == node)
                continue;
            step->next++;
            search->n_sources++;
        }
    }
}

/* Converts the steps, indexed by node, to arrays indexed by number. */
static void
number_nodes(struct search *search)
{
    const uint32_t n_nodes = search->heap->n_nodes;

    search->order = numbers(search->n);
    search->parent = numbers(search->n);
    search->entering = numbers(search->n);
    for (uint32_t node = 0; node < n_nodes; node++) {
        const struct step *step = &search->steps[node];

        if (step->number == MP_NO_ID)
            continue;
        search->order[step->number] = node;
        search->parent[step->number] = search->steps[step->parent & ~REFERS].number;
        search->entering[step->number] = step->next;
    }
    search->number = (uint32_t *)search->steps;         /* in place, because a number lies before the step that it is
                                                           copied from */
    for (uint32_t node = 0; node < n_nodes; node++)
        search->number[node] = search->steps[node].number;
    search->number = mp_need(realloc(search->number, ((size_t)n_nodes + 1) * sizeof *search->number));
    search->steps = NULL;
}

/* ---------------------------------------------------------------- sources */

/* Stores the sources of the references in LIST that are not tree edges. */
static void
take_sources(void *data, const struct mp_heap_reference *list, uint32_t n)
{
    struct search *search = data;
    uint32_t to[MP_HEAP_BATCH];

    for (uint32_t i = 0; i < n; i++)
        if (list[i].to != MP_NO_ID)
            __builtin_prefetch(&search->number[list[i].to]);
    for (uint32_t i = 0; i < n; i++) {
        const bool counts = list[i].to != MP_NO_ID && !list[i].weak && list[i].to != list[i].from;

        to[i] = counts && search->number[list[i].from] != MP_NO_ID ? search->number[list[i].to] : MP_NO_ID;
        if (to[i] == MP_NO_ID)
            continue;
        __builtin_prefetch(&search->parent[to[i]]);
        __builtin_prefetch(&search->entering[to[i]]);
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t from = search->number[list[i].from];

        if (to[i] == MP_NO_ID || search->parent[to[i]] == from)
            continue;
        search->n_filled++;
        if (search->entering[to[i]] < search->n_sources)
            search->sources[search->entering[to[i]]++] = from;
    }
}

/* Returns whether the same references were read as in the search. */
static bool
is_filled(const struct search *search)
{
    for (uint32_t w = 1; w < search->n; w++)
        if (search->entering[w] < search->entering[w - 1])
            return false;
    return search->n_filled == search->n_sources;
}

/* Reads the references again and stores the sources of all that are not tree edges. Returns false and fills *ERROR if
 * references cannot be read. */
static bool
find_sources(struct search *search, struct mp_error *error)
{
    uint32_t sum = 0;

    for (uint32_t w = 0; w < search->n; w++) {
        const uint32_t count = search->entering[w];

        search->entering[w] = sum;
        sum += count;
    }
    search->sources = mp_need(calloc((size_t)search->n_sources + 1, sizeof *search->sources));
    if (!mp_heap_each_reference(search->heap, take_sources, search, error))
        return false;
    free(search->number);
    search->number = NULL;
    return is_filled(search) ||
           mp_fail(error, MP_ERR_DAMAGED, MP_NO_OFFSET, "%s has changed while it was read", search->heap->input.name);
}

/* ----------------------------------------------------------------- forest */

/* A node of the forest. `label` is the smallest semidominator on the compressed path. Nodes from `linked` on are
 * linked to their ancestors. */
struct hanging {
    uint32_t ancestor, label;
};

struct forest {
    struct hanging *nodes;
    uint32_t linked;
};

/* Compresses the path from V up to the uppermost linked node: links all its nodes directly to that node's ancestor,
 * and sets their labels. The path is reversed and restored, so no stack is needed. */
static void
compress(struct forest *forest, uint32_t v)
{
    struct hanging *nodes = forest->nodes;
    uint32_t before = MP_NO_ID, root, above;

    while (nodes[v].ancestor >= forest->linked) {
        uint32_t next = nodes[v].ancestor;

        nodes[v].ancestor = before;
        before = v;
        v = next;
    }
    root = nodes[v].ancestor;
    for (above = v; before != MP_NO_ID; above = v) {
        v = before;
        before = nodes[v].ancestor;
        if (nodes[above].label < nodes[v].label)
            nodes[v].label = nodes[above].label;
        nodes[v].ancestor = root;
    }
}

/* Returns the smallest semidominator on the path from V up to below the root of its tree in the forest. Returns V
 * itself if it is not linked. */
static uint32_t
evaluate(struct forest *forest, uint32_t v)
{
    if (v < forest->linked)
        return v;
    if (forest->nodes[v].ancestor >= forest->linked)
        compress(forest, v);
    return forest->nodes[v].label;
}

/* Computes the semidominators, which replace `entering`. Frees sources that are no longer needed piece by piece. */
static void
find_semidominators(struct search *search, struct forest *forest)
{
    uint32_t kept = search->n_sources;

    for (uint32_t w = search->n; w-- > 1;) {
        uint32_t least = search->parent[w];

        forest->linked = w + 1;
        if (kept - search->entering[w] >= PIECE) {
            kept = search->entering[w];
            search->sources = mp_need(realloc(search->sources, ((size_t)kept + 1) * sizeof *search->sources));
        }
        for (uint32_t i = search->entering[w - 1]; i < search->entering[w]; i++) {
            uint32_t other;

            __builtin_prefetch(&forest->nodes[search->sources[i >= DISTANCE ? i - DISTANCE : 0]]);
            other = evaluate(forest, search->sources[i]);
            least = other < least ? other : least;
        }
        search->entering[w] = least;
        forest->nodes[w] = (struct hanging){search->parent[w], least};
    }
}

/* Computes the immediate dominators by number, which replace `parent`. The immediate dominator is the nearest common
 * ancestor of parent and semidominator. */
static void
find_dominators(struct search *search)
{
    struct forest forest = {mp_need(malloc(((size_t)search->n + 1) * sizeof *forest.nodes)), 0};
    uint32_t *dominator = search->parent;

    find_semidominators(search, &forest);
    free(search->sources);
    search->sources = NULL;
    free(forest.nodes);
    for (uint32_t w = 1; w < search->n; w++) {
        uint32_t d = dominator[w];

        while (d > search->entering[w])
            d = dominator[d];
        dominator[w] = d;
    }
    free(search->entering);
    search->entering = NULL;
}

/* ------------------------------------------------------------------- tree */

/* Writes the tree in its preorder. A dominator has a lower number than the nodes that it dominates. */
static void
lay_out(const struct search *search, struct mp_dominators *to)
{
    const uint32_t *dominator = search->parent;
    uint32_t n = search->n, *count = numbers(n), *next = numbers(n);

    for (uint32_t i = 0; i < n; i++)
        count[i] = 1;
    for (uint32_t i = n; i-- > 1;)
        count[dominator[i]] += count[i];
    to->n = n;
    to->at = numbers(n);
    to->span = numbers(n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t position = i == 0 ? 0 : next[dominator[i]];

        if (i > 0)
            next[dominator[i]] += count[i];
        next[i] = position + 1;
        to->at[position] = search->order[i];
        to->span[position] = count[i];
    }
    free(count);
    free(next);
}

static void
sum_up(const struct mp_heap *heap, struct mp_dominators *dominators)
{
    dominators->sum = mp_need(malloc(((size_t)dominators->n + 1) * sizeof *dominators->sum));
    dominators->sum[0] = 0;
    for (uint32_t i = 0; i < dominators->n; i++)
        dominators->sum[i + 1] = dominators->sum[i] + mp_heap_size(heap, dominators->at[i]);
    dominators->bytes = dominators->sum[dominators->n];
}

static void
free_search(struct search *search)
{
    free(search->number);
    free(search->order);
    free(search->parent);
    free(search->entering);
    free(search->sources);
}

bool
mp_dominate(struct mp_heap *heap, struct mp_dominators *dominators, struct mp_error *error)
{
    struct search search = {.heap = heap};
    bool ok;

    *dominators = (struct mp_dominators){0};
    if (!mp_heap_recall_references(heap, error))
        return false;
    mark_references(heap);
    make_steps(&search);
    search_depth_first(&search);
    count_sources(&search);
    mp_heap_forget_references(heap);
    number_nodes(&search);
    ok = find_sources(&search, error);
    if (ok) {
        find_dominators(&search);
        lay_out(&search, dominators);
    }
    free_search(&search);
    if (ok)
        sum_up(heap, dominators);
    return ok;
}

void
mp_dominators_free(struct mp_dominators *dominators)
{
    free(dominators->at);
    free(dominators->span);
    free(dominators->sum);
    *dominators = (struct mp_dominators){0};
}

uint32_t
mp_dominators_find(const struct mp_dominators *dominators, uint32_t node)
{
    for (uint32_t i = 0; i < dominators->n; i++)
        if (dominators->at[i] == node)
            return i;
    return MP_NO_ID;
}

uint32_t
mp_dominators_parent(const struct mp_dominators *dominators, uint32_t position)
{
    for (uint32_t i = position; i-- > 0;)
        if (position - i < dominators->span[i])
            return i;
    return 0;
}
