/* SPDX-License-Identifier: MIT */
/* Table 9: chains from the outermost function inwards, as a tree without its smallest branches. */
#include "tables.h"

#include <stdlib.h>

#include "reporter/base/search.h"
#include "reporter/graph/node_chain.h"

enum {
    BYTES, PERCENT, SELF, ALLOCS, KEPT, SORTED, CHAIN = SORTED + MP_SORTED_COLUMNS, N_COLUMNS
};

static const struct mp_table_column columns[N_COLUMNS] = {
    [BYTES] = {"bytes", "bytes", MP_UNIT_BYTES,
               "Bytes that the function allocated on this chain, or what it called.", MP_OF(BYTES)},
    [PERCENT] = MP_COLUMN_BYTES_SHARE,
    [SELF] = {"self_bytes", "self", MP_UNIT_BYTES, "Bytes of these that it allocated itself."},
    [ALLOCS] = {"allocs", "allocs", MP_UNIT_BLOCKS, "Blocks or objects with all these bytes.", MP_OF(ALLOCS)},
    [KEPT] = MP_COLUMN_KEPT_BYTES(MP_LAYOUT_AFTER),
    MP_SORTED_COLUMNS_AT(SORTED),
    [CHAIN] = {"chain", "function", MP_UNIT_CHAIN,
               "The function, under its caller; with those that it was called through, where these "
               "have no other callees and allocate nothing."},
};

static const struct mp_table_said said[] = {
    {BYTES, "%s byte", "%s bytes"},
    {ALLOCS, "%s allocation", "%s allocations"},
    MP_SORTED_SAID_AT(SORTED),
};

const struct mp_table_kind mp_table_tree_kind = {
    .key = "tree", .title = "TABLE 9: ALLOCATION TREE", .one = "branch", .many = "branches",
    .explanation = "Chains of callers from the outermost inwards, as a tree.",
    .columns = columns, .n_columns = N_COLUMNS,
    .said = said, .n_said = sizeof said / sizeof *said,
};

/* A node whose children are being added. */
struct level {
    uint32_t row;               /* row of the node; MP_NO_ID for the root */
    uint32_t next, end;         /* range in the list of its children not added yet */
    bool any;                   /* at least one child has a row */
};

struct rows {
    const struct mp_print_options *options;
    const struct mp_tree *tree;
    struct mp_table *table;
    struct mp_counts *inclusive;        /* by node */
    uint32_t *first;            /* by node: index in `children` of its first child; the next node's ends the range */
    uint32_t *children;         /* children of all nodes, sorted within each node by the chosen figure */
    uint32_t *cell;             /* by node: a cell counted there or further inside */
    struct level *levels;       /* stack of the nodes on the current branch */
    uint32_t n_levels;
};

/* ---------------------------------------------------------------- children */

static int
compare_nodes(const void *a, const void *b, void *data)
{
    const struct rows *t = data;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    uint64_t left = mp_print_key(t->options, &t->inclusive[x]);
    uint64_t right = mp_print_key(t->options, &t->inclusive[y]);

    if (left != right)
        return mp_order(right, left);
    return mp_order(x, y);
}

static void
find_cells(struct rows *t)
{
    const struct mp_tree *tree = t->tree;

    t->cell = mp_arena_alloc(t->table->arena, tree->n_nodes * sizeof *t->cell);
    for (uint32_t i = tree->n_nodes; i-- > 1;) {
        if (mp_tree_cells(tree, i) > 0)
            t->cell[i] = tree->cells[tree->nodes[i].first_cell];
        t->cell[tree->nodes[i].parent] = t->cell[i];
    }
}

static void
list_children(struct rows *t)
{
    const struct mp_tree *tree = t->tree;
    struct mp_tree_children children = mp_tree_children(tree, t->table->arena);

    t->first = children.first;
    t->children = children.list;
    for (uint32_t i = 0; i < tree->n_nodes; i++)
        if (t->first[i + 1] - t->first[i] > 1)
            qsort_r(t->children + t->first[i], t->first[i + 1] - t->first[i], sizeof *t->children,
                    compare_nodes, t);
}

/* ---------------------------------------------------------------- rows */

/* Returns the innermost node that shares a row with NODE. Sets *N to the number of functions in that row. */
static uint32_t
end_of_row(const struct rows *t, uint32_t node, uint32_t *n)
{
    const struct mp_tree *tree = t->tree;

    for (*n = 1; !mp_tree_ends(tree, node) && mp_tree_cells(tree, node) == 0 &&
                 t->first[node + 1] - t->first[node] == 1;
         ++*n)
        node = t->children[t->first[node]];
    return node;
}

/* Returns the last N functions of NODE's chain as a value. A mark (of a cut chain) becomes its name only. */
static struct mp_value
chain_of(const struct rows *t, uint32_t context, uint32_t node, uint32_t n)
{
    const struct mp_chain_options one = {.limit = n, .bare = true};

    if (mp_tree_ends(t->tree, node))
        return mp_value_chain(
            context, t->tree->profile->functions[mp_tree_function(t->tree, node)].text, NULL,
            mp_table_calls(t->table, t->tree, &one, node));
    return mp_table_chain(t->table, t->tree, &one, node, context);
}

/* Adds a row for the branch that begins with NODE, and makes its end the current node. */
static void
add_branch(struct rows *t, uint32_t node, uint32_t under)
{
    uint32_t n, end = end_of_row(t, node, &n);
    const struct mp_counts self = mp_tree_self(t->tree, end);
    struct mp_table_row *row = mp_table_add(t->table);

    row->under = under;
    mp_table_fill(t->table, row->values, &t->inclusive[node], &t->inclusive[0]);
    row->values[SELF] = mp_value_if(mp_counts_any(&self), mp_value_figure(&self, MP_FIGURE_BYTES));
    row->values[CHAIN] = chain_of(t, t->tree->profile->cells[t->cell[end]].context, end, n);
    t->levels[t->n_levels++] =
        (struct level){t->table->n_rows - 1, t->first[end], t->first[end + 1], false};
}

/* Adds a row that sums up the children without rows. If no child has a row, the node's own row suffices. */
static void
add_others(struct rows *t, const struct level *level)
{
    struct mp_counts sum = {0};
    struct mp_table_row *row;

    for (uint32_t i = level->next; i < level->end; i++)
        mp_counts_add(&sum, &t->inclusive[t->children[i]]);
    row = mp_table_add(t->table);
    row->is = MP_ROW_REST;
    row->n = level->end - level->next;
    row->under = level->row;
    mp_table_fill(t->table, row->values, &sum, &t->inclusive[0]);
    row->values[CHAIN] = mp_value_none(
        mp_arena_printf(t->table->arena, "(%u other%s)", (unsigned)row->n, row->n == 1 ? "" : "s"));
}

static bool
is_shown(const struct rows *t, uint32_t node)
{
    return mp_print_room(t->options, t->table->n_rows) &&
           mp_print_shows(t->options, mp_print_key(t->options, &t->inclusive[node]),
                          mp_print_key(t->options, &t->inclusive[0]));
}

static void
leave_out(struct rows *t, const struct level *root)
{
    struct mp_counts sum = mp_tree_self(t->tree, 0);    /* counted on no chain */
    uint32_t n = root->end - root->next + mp_counts_any(&sum);

    for (uint32_t i = root->next; i < root->end; i++)
        mp_counts_add(&sum, &t->inclusive[t->children[i]]);
    mp_table_fill(t->table, mp_table_leave_out(t->table, n), &sum, &t->inclusive[0]);
}

/* Walks through the tree without recursion, because chains can be arbitrarily long. */
static void
add_rows(struct rows *t)
{
    t->levels[t->n_levels++] = (struct level){MP_NO_ID, t->first[0], t->first[1], false};
    while (t->n_levels > 0) {
        struct level *top = &t->levels[t->n_levels - 1];

        if (top->next < top->end && is_shown(t, t->children[top->next])) {
            top->any = true;
            add_branch(t, t->children[top->next++], top->row);
            continue;
        }
        if (top->row == MP_NO_ID)
            leave_out(t, top);
        else if (top->any && top->next < top->end)
            add_others(t, top);
        t->n_levels--;
    }
    t->table->full = !mp_print_room(t->options, t->table->n_rows);
}

struct mp_table *
mp_table_tree_rows(const struct mp_table_request *request)
{
    struct mp_table *table = mp_table_begin(&mp_table_tree_kind, request->options);
    struct mp_tree *tree = mp_table_tree(request);
    struct rows t = {.options = request->options, .tree = tree, .table = table};
    struct mp_value *values;

    t.inclusive = mp_tree_inclusive(tree, table->arena);
    find_cells(&t);
    list_children(&t);
    t.levels = mp_arena_alloc(table->arena, (tree->n_nodes + (size_t)1) * sizeof *t.levels);
    if (mp_counts_any(&t.inclusive[0])) {
        add_rows(&t);
        values = mp_table_add_total(table);
        mp_table_fill(table, values, &t.inclusive[0], &t.inclusive[0]);
        values[CHAIN] = mp_value_none("<TOTAL>");
    } else {
        table->nothing = mp_table_nothing(request);
    }
    mp_table_tree_free(request, tree);
    return table;
}
