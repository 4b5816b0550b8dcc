#include "dominate.h"

#include <stdlib.h>
#include <string.h>

/* Preorder numbers of the depth-first search, of `n` nodes that are reached; 0 is the node of all roots. */
struct search {
    struct mp_heap *heap;
    uint32_t n;
    uint32_t *order;            /* by number: the node */
    uint32_t *number;           /* by node: the number; MP_NO_ID: not reached */
    uint32_t *parent;           /* by number: that of the parent in the search's tree */
    /* Edges that are not of the tree, by their ends: sources of those to w are in `sources` from entering[w] on. */
    uint32_t *entering;         /* n + 1 of them */
    uint32_t *sources;
};

static uint32_t *
numbers(size_t n)
{
    return mp_need(malloc((n + 1) * sizeof(uint32_t)));
}

static void
number_node(struct search *search, uint32_t node, uint32_t parent)
{
    search->number[node] = search->n;
    search->order[search->n] = node;
    search->parent[search->n++] = parent;
}

/* The way down is told by parents, so there is no stack; NEXT is where the references of each number go on. */
static void
search_depth_first(struct search *search)
{
    struct mp_heap *heap = search->heap;
    uint32_t *next = numbers(heap->n_nodes), at = 0;

    number_node(search, mp_heap_all_roots(heap), 0);
    next[0] = heap->first[mp_heap_all_roots(heap)];
    for (;;) {
        uint32_t node = search->order[at], end = heap->first[node + 1], i = next[at];

        while (i < end && ((heap->slots[i] & MP_REFERENCE_WEAK) || search->number[heap->to[i]] != MP_NO_ID))
            i++;
        next[at] = i + (i < end);
        if (i < end) {
            number_node(search, heap->to[i], at);
            at = search->n - 1;
            next[at] = heap->first[heap->to[i]];
        } else if (at == 0) {
            break;
        } else {
            at = search->parent[at];
        }
    }
    free(next);
}

/* Is reference I, from the node with number FROM to that with number TO, of the search's tree or of no use?  Of
 * several to one node any may be the tree's. */
static bool
passed_over(const struct search *search, uint32_t i, uint32_t from, uint32_t to)
{
    return (search->heap->slots[i] & MP_REFERENCE_WEAK) || from == to || search->parent[to] == from;
}

/* References go to numbers now, and their sources are sorted by where they go. */
static void
turn_around(struct search *search)
{
    struct mp_heap *heap = search->heap;
    uint32_t *entering = mp_need(calloc((size_t)search->n + 2, sizeof *entering));
    uint32_t sum = 0;

    for (uint32_t i = 0; i < heap->n_references; i++)
        heap->to[i] = search->number[heap->to[i]];
    free(search->number);
    search->number = NULL;
    for (uint32_t from = 0; from < search->n; from++)
        for (uint32_t i = heap->first[search->order[from]]; i < heap->first[search->order[from] + 1]; i++)
            if (heap->to[i] != MP_NO_ID && !passed_over(search, i, from, heap->to[i]))
                entering[heap->to[i]]++;
    for (uint32_t w = 0; w <= search->n; w++)
        entering[w] = sum += entering[w];
    search->sources = numbers(sum);
    for (uint32_t from = search->n; from-- > 0;)        /* sources of each end up ascending */
        for (uint32_t i = heap->first[search->order[from]]; i < heap->first[search->order[from] + 1]; i++)
            if (heap->to[i] != MP_NO_ID && !passed_over(search, i, from, heap->to[i]))
                search->sources[--entering[heap->to[i]]] = from;
    search->entering = entering;
}

/* ----------------------------------------------------------------- forest */

/* Nodes from `linked` on hang on their ancestors; label: the least semidominator on the way that was compressed. */
struct forest {
    uint32_t *ancestor, *label, *semi;
    uint32_t linked;
};

/* Hang all on the way from V up on what the uppermost of them hangs on.  The way is turned around and back, so that
 * there is no stack. */
static void
compress(struct forest *forest, uint32_t v)
{
    uint32_t before = MP_NO_ID, root, above;

    while (forest->ancestor[v] >= forest->linked) {
        uint32_t next = forest->ancestor[v];

        forest->ancestor[v] = before;
        before = v;
        v = next;
    }
    root = forest->ancestor[v];
    for (above = v; before != MP_NO_ID; above = v) {
        v = before;
        before = forest->ancestor[v];
        if (forest->label[above] < forest->label[v])
            forest->label[v] = forest->label[above];
        forest->ancestor[v] = root;
    }
}

static uint32_t
evaluate(struct forest *forest, uint32_t v)
{
    if (v < forest->linked)
        return v;
    if (forest->ancestor[v] >= forest->linked)
        compress(forest, v);
    return forest->label[v];
}

static void
find_semidominators(const struct search *search, struct forest *forest)
{
    for (uint32_t w = search->n; w-- > 1;) {
        uint32_t least = search->parent[w];

        forest->linked = w + 1;
        for (uint32_t i = search->entering[w]; i < search->entering[w + 1]; i++) {
            uint32_t other = evaluate(forest, search->sources[i]);

            least = other < least ? other : least;
        }
        forest->semi[w] = forest->label[w] = least;
    }
}

/* Immediate dominators, by number: the nearest common ancestor of parent and semidominator. */
static uint32_t *
find_dominators(struct search *search)
{
    struct forest forest = {numbers(search->n), numbers(search->n), numbers(search->n), 0};
    uint32_t *dominator = search->parent;

    memcpy(forest.ancestor, search->parent, (size_t)search->n * sizeof *forest.ancestor);
    find_semidominators(search, &forest);
    free(search->entering);
    free(search->sources);
    free(forest.ancestor);
    free(forest.label);
    for (uint32_t w = 1; w < search->n; w++) {
        uint32_t d = dominator[w];

        while (d > forest.semi[w])
            d = dominator[d];
        dominator[w] = d;
    }
    free(forest.semi);
    return dominator;
}

/* ------------------------------------------------------------------- tree */

/* The tree in its preorder.  A dominator has a lower number than what it dominates. */
static void
lay_out(struct search *search, const uint32_t *dominator, struct mp_dominators *to)
{
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
    for (uint32_t i = 0; i < dominators->n; i++) {
        dominators->sum[i + 1] = dominators->sum[i] + mp_heap_size(heap, dominators->at[i]);
        dominators->objects += dominators->at[i] < heap->n_objects;
    }
    dominators->bytes = dominators->sum[dominators->n];
}

bool
mp_dominate(struct mp_heap *heap, struct mp_dominators *dominators, struct mp_error *error)
{
    struct search search;

    *dominators = (struct mp_dominators){0};
    if (!mp_heap_recall_references(heap, error))
        return false;
    search = (struct search){.heap = heap, .order = numbers(heap->n_nodes), .number = numbers(heap->n_nodes),
                            .parent = numbers(heap->n_nodes)};
    memset(search.number, 0xff, ((size_t)heap->n_nodes + 1) * sizeof *search.number);
    search_depth_first(&search);
    turn_around(&search);
    mp_heap_forget_references(heap);
    find_dominators(&search);
    lay_out(&search, search.parent, dominators);
    free(search.parent);
    free(search.order);
    sum_up(heap, dominators);
    return true;
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
