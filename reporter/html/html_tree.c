/* SPDX-License-Identifier: MIT */
#include "html_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "html_parts.h"
#include "reporter/base/map.h"
#include "reporter/base/search.h"
#include "reporter/view/threads.h"

/* ---------------------------------------------------------------- threads */

struct mp_html_threads
mp_html_threads(const struct mp_profile *view, struct mp_arena *arena)
{
    const char **by_context = mp_thread_names(view, arena);
    struct mp_html_threads threads = {.of = mp_arena_alloc(arena, view->n_contexts * sizeof *threads.of)};
    struct mp_map numbers = {.arena = arena};
    const char *last = NULL;    /* the name of the last cell's thread, and its number */
    uint32_t number = 0;

    threads.names = mp_arena_alloc(arena, ((size_t)view->n_contexts + 1) * sizeof *threads.names);
    for (uint32_t i = 0; i < view->n_cells; i++) {
        uint32_t context = view->cells[i].context;
        const char *name = by_context[context];

        if (i == 0 || name != last) {
            number = mp_map_add(&numbers, name ? name : "", name ? strlen(name) + 1 : 0);
            threads.names[number] = last = name;
        }
        threads.of[context] = number;
    }
    threads.n = numbers.count;
    return threads;
}

/* ---------------------------------------------------------------- which nodes stay */

enum { WEIGHED = 6 };           /* number of figures that decide */

/* Adds COUNTS to FIGURES, multiplied by SIGN. */
static void
weigh(const struct mp_basic_counts *counts, int sign, double figures[static WEIGHED])
{
    figures[0] += sign * (double)counts->bytes;
    figures[1] += sign * (double)counts->allocs;
    figures[2] += sign * (double)(int64_t)counts->kept; /* may be negative in a part of the time */
    figures[3] += sign * (double)(int64_t)counts->kept_blocks;
    figures[4] += sign * (double)counts->peak_bytes;
    figures[5] += sign * (double)counts->temporary;
}

/* Adds the figures that were counted in NODE itself. With two SIDES, adds the difference after minus before. */
static void
weigh_node(const struct mp_tree *tree, uint32_t node, bool sides, double figures[static WEIGHED])
{
    for (uint32_t i = tree->nodes[node].first_cell; i < tree->nodes[node + 1].first_cell; i++) {
        const struct mp_cell *cell = &tree->profile->cells[tree->cells[i]];

        weigh(&cell->counts, sides && cell->kind >> MP_HTML_SIDE_SHIFT == 0 ? -1 : 1, figures);
    }
}

/* Returns, by node, the largest of its shares of the figures that decide. No node's share is larger than its caller's.
 */
static float *
shares(const struct mp_tree *tree, bool sides, struct mp_arena *arena)
{
    struct mp_html_below below = {.slot = mp_arena_alloc(arena, tree->n_nodes * sizeof *below.slot)};
    float *share = mp_arena_alloc(arena, tree->n_nodes * sizeof *share);
    double all[WEIGHED] = {0};

    for (uint32_t i = tree->n_nodes; i-- > 0;) {
        double self[WEIGHED] = {0};

        weigh_node(tree, i, sides, self);
        for (unsigned j = 0; j < WEIGHED; j++)
            all[j] += fabs(self[j]);
    }
    for (uint32_t i = tree->n_nodes; i-- > 0;) {
        struct mp_html_below_sums sums = mp_html_below_take(&below, i), *outer;
        double self[WEIGHED] = {0};

        weigh_node(tree, i, sides, self);
        outer = i > 0 ? mp_html_below_add(&below, tree->nodes[i].parent) : NULL;
        for (unsigned j = 0; j < WEIGHED; j++) {
            sums.weights[j] += fabs(self[j]);
            if (outer)
                outer->weights[j] += sums.weights[j];
            if (all[j] > 0 && sums.weights[j] / all[j] > (double)share[i])
                share[i] = (float)(sums.weights[j] / all[j]);
        }
    }
    free(below.list);
    mp_arena_drop(below.slot, tree->n_nodes * sizeof *below.slot);
    return share;
}

/* Returns the bits of SHARE, which is not negative. They have the same order as shares. */
static uint32_t
bits_of(float share)
{
    uint32_t bits;

    _Static_assert(sizeof bits == sizeof share, "a float has 32 bits");
    memcpy(&bits, &share, sizeof bits);
    return bits;
}

/* Returns the share that is at index MOST of the N shares when these are sorted in descending order. Counts how many
 * shares have each value of the upper 16 bits, then, of those with the upper bits of the result, of the lower ones. */
static float
share_of_last(const float *share, uint32_t n, uint32_t most, struct mp_arena *arena)
{
    enum { VALUES = 1 << 16 };
    uint32_t *counts = mp_arena_alloc(arena, VALUES * sizeof *counts), high = VALUES - 1, low = VALUES - 1, bits;
    float last;

    for (uint32_t i = 0; i < n; i++)
        counts[bits_of(share[i]) / VALUES]++;
    for (; counts[high] <= most; high--)
        most -= counts[high];
    memset(counts, 0, VALUES * sizeof *counts);
    for (uint32_t i = 0; i < n; i++)
        if (bits_of(share[i]) / VALUES == high)
            counts[bits_of(share[i]) % VALUES]++;
    for (; counts[low] <= most; low--)
        most -= counts[low];
    bits = high * VALUES + low;
    memcpy(&last, &bits, sizeof last);
    return last;
}

/* Chooses the nodes that stay and numbers them. If not all nodes with the last share can stay, the first of them do.
 * So the caller of each node that stays, stays too. */
static void
choose(struct mp_html_tree *t, uint32_t most, bool sides, struct mp_arena *scratch)
{
    const struct mp_tree *tree = t->tree;
    const float *share = shares(tree, sides, scratch);
    float last = tree->n_nodes > most ? share_of_last(share, tree->n_nodes, most, scratch) : -1;
    uint32_t equal = most;      /* how many nodes with the last share may stay */

    for (uint32_t i = 0; i < tree->n_nodes; i++)
        equal -= equal > 0 && share[i] > last;
    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        bool stays = i == 0 || share[i] > last || (share[i] >= last && equal > 0);

        equal -= equal > 0 && share[i] <= last && stays;
        t->to[i] = MP_NO_ID;
        if (!stays || (i > 0 && t->to[tree->nodes[i].parent] == MP_NO_ID))
            continue;
        t->to[i] = t->n_nodes;
        t->nodes[t->n_nodes++] = (struct mp_html_node){i > 0 ? t->to[tree->nodes[i].parent] : 0, i};
    }
}

/* Merges the other nodes. All nodes with the same innermost remaining caller become one node. */
static void
gather(struct mp_html_tree *t, struct mp_arena *scratch)
{
    const struct mp_tree *tree = t->tree;
    uint32_t stay = t->n_nodes;
    uint32_t *rest = mp_arena_alloc(scratch, stay * sizeof *rest);      /* merged node, or 0, by caller */

    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        uint32_t caller = t->to[tree->nodes[i].parent];
        struct mp_counts self;

        if (t->to[i] != MP_NO_ID)
            continue;
        if (caller < stay && rest[caller] == 0) {
            rest[caller] = t->n_nodes;
            t->nodes[t->n_nodes++] = (struct mp_html_node){caller, MP_NO_ID};
        }
        t->to[i] = caller < stay ? rest[caller] : caller;
        t->left++;
        if (mp_tree_cells(tree, i) == 0)
            continue;
        self = mp_tree_self(tree, i);
        mp_counts_add(&t->left_counts, &self);
    }
}

/* ---------------------------------------------------------------- cells */

/* What the ids of cells are sorted by. */
struct sorting {
    const struct mp_cell *cells;
    const uint32_t *thread_of;  /* by context */
};

/* Compares the kinds and threads of two cells of one node. */
static int
compare_cells(const void *a, const void *b, void *data)
{
    const struct sorting *sorting = data;
    const struct mp_cell *x = &sorting->cells[*(const uint32_t *)a], *y = &sorting->cells[*(const uint32_t *)b];

    if (x->kind != y->kind)
        return mp_order(x->kind, y->kind);
    return mp_order(sorting->thread_of[x->context], sorting->thread_of[y->context]);
}

/* Adds CELL, which belongs to NODE, to the last cell if that has the same kind and thread. Otherwise appends it. */
static void
add_cell(struct mp_html_tree *t, uint32_t node, const struct mp_cell *cell)
{
    const uint32_t thread = t->threads.of[cell->context];
    struct mp_html_cell *last = t->n_cells > 0 ? &t->cells[t->n_cells - 1] : NULL;

    if (!last || last->node != node || last->kind != cell->kind || last->thread != thread) {
        last = &t->cells[t->n_cells++];
        *last = (struct mp_html_cell){node, cell->kind, thread, UINT32_MAX, 0, {0}};
    }
    for (unsigned c = 0; c < MP_HTML_COLUMNS; c++)
        last->figures[c] =
            mp_plus_signed(last->figures[c], mp_basic_figure(&cell->counts, mp_html_columns[c].figure));
    last->size_min = cell->size_min < last->size_min ? cell->size_min : last->size_min;
    last->size_max = cell->size_max > last->size_max ? cell->size_max : last->size_max;
}

/* Sorts the ids of the view's cells by node, with a counting sort, and those of a node by kind and thread. Sums up the
 * cells that are equal in these. */
static void
list_cells(struct mp_html_tree *t, struct mp_arena *scratch)
{
    const struct mp_tree *tree = t->tree;
    struct sorting sorting = {tree->profile->cells, t->threads.of};
    uint32_t *first = mp_arena_alloc(scratch, (t->n_nodes + (size_t)1) * sizeof *first);
    uint32_t *sorted = mp_arena_alloc(scratch, tree->n_cells * sizeof *sorted);

    for (uint32_t i = 0; i < tree->n_nodes; i++)
        first[t->to[i]] += mp_tree_cells(tree, i);
    for (uint32_t i = 0; i < t->n_nodes; i++)
        first[i + 1] += first[i];
    for (uint32_t i = tree->n_nodes; i-- > 0;)
        for (uint32_t j = tree->nodes[i + 1].first_cell; j-- > tree->nodes[i].first_cell;)
            sorted[--first[t->to[i]]] = tree->cells[j];
    t->cells = mp_arena_alloc(t->arena, tree->n_cells * sizeof *t->cells);
    for (uint32_t i = 0; i < t->n_nodes; i++) {
        if (first[i + 1] - first[i] > 1)
            qsort_r(sorted + first[i], first[i + 1] - first[i], sizeof *sorted, compare_cells, &sorting);
        for (uint32_t j = first[i]; j < first[i + 1]; j++)
            add_cell(t, i, &sorting.cells[sorted[j]]);
    }
}

struct mp_html_tree *
mp_html_tree(const struct mp_tree *tree, uint32_t most, bool sides)
{
    struct mp_arena *arena = mp_arena_new(), *scratch = mp_arena_new();
    struct mp_html_tree *t = mp_arena_alloc(arena, sizeof *t);
    uint64_t room = tree->n_nodes <= most ? tree->n_nodes : 2 * (uint64_t)most + 2;

    t->tree = tree;
    t->arena = arena;
    t->to = mp_arena_alloc(arena, tree->n_nodes * sizeof *t->to);
    t->nodes = mp_arena_alloc(arena, room * sizeof *t->nodes);
    choose(t, most, sides, scratch);
    gather(t, scratch);
    t->threads = mp_html_threads(tree->profile, arena);
    list_cells(t, scratch);
    mp_arena_free(scratch);
    return t;
}

void
mp_html_tree_free(struct mp_html_tree *tree)
{
    if (tree)
        mp_arena_free(tree->arena);
}

/* ---------------------------------------------------------------- properties of the tree */

const struct mp_html_column mp_html_columns[MP_HTML_COLUMNS] = {
    {"allocs", MP_FIGURE_ALLOCS},    {"bytes", MP_FIGURE_BYTES},
    {"kept", MP_FIGURE_KEPT},        {"keptBlocks", MP_FIGURE_KEPT_BLOCKS},
    {"peak", MP_FIGURE_PEAK_BYTES},  {"peakBlocks", MP_FIGURE_PEAK_BLOCKS},
    {"temporary", MP_FIGURE_TEMPORARY}};

uint32_t *
mp_html_nodes_of_contexts(const struct mp_html_tree *t, struct mp_arena *arena)
{
    const struct mp_profile *view = t->tree->profile;
    uint32_t *node_of = mp_arena_alloc(arena, view->n_contexts * sizeof *node_of);

    for (uint32_t i = 0; i < t->tree->n_nodes; i++)
        for (uint32_t j = t->tree->nodes[i].first_cell; j < t->tree->nodes[i + 1].first_cell; j++)
            node_of[view->cells[t->tree->cells[j]].context] = t->to[i];
    return node_of;
}

uint32_t *
mp_html_function_numbers(const struct mp_tree *tree, const struct mp_html_tree *only, uint32_t *n,
                         struct mp_arena *arena)
{
    uint32_t *numbers = mp_arena_alloc(arena, (tree->profile->n_functions + (size_t)1) * sizeof *numbers);

    *n = 2;
    for (uint32_t i = 1; i < tree->n_nodes; i++) {
        uint32_t *number = &numbers[mp_tree_function(tree, i)];
        bool counts = !only || only->nodes[only->to[i]].from == i;

        if (counts && *number == 0)
            *number = (*n)++;
    }
    return numbers;
}
