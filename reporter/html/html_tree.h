/*
 * html_tree.h -- the tree that a page shows: that of a view, bounded.
 *
 * Where the view's has more nodes than there is room for, those with the largest share of any figure
 * stay, with all their callers.  What was counted in the others is counted in a node that stands for all
 * of them below their caller, so that no figure is lost.
 */
#ifndef MP_HTML_TREE_H
#define MP_HTML_TREE_H

#include "html_threads.h"
#include "reporter/profile/tree.h"

struct mp_html_node {
    uint32_t parent;            /* node 0 is the root.  parent < own id */
    uint32_t from;              /* the view's; MP_NO_ID: it stands for several */
};

/* What was counted in a node itself, of one kind and thread. */
struct mp_html_cell {
    uint32_t node, kind, thread;
    uint32_t size_min, size_max;        /* as of struct mp_cell */
    struct mp_counts counts;
};

struct mp_html_tree {
    const struct mp_tree *tree;
    struct mp_html_node *nodes; uint32_t n_nodes;
    struct mp_html_cell *cells; uint32_t n_cells;       /* sorted by (node, kind, thread), each once */
    uint32_t *to;               /* by node of the view: here */
    struct mp_html_threads threads;
    uint32_t left;              /* nodes of the view that have none here */
    struct mp_counts left_counts;       /* what was counted there; of two sides, on both together */
    struct mp_arena *arena;     /* owns all of the above but the tree */
};

/* Of a tree of two sides, kinds of cells have the side (match.h) above these bits: 0 before, 1 after. */
enum { MP_HTML_SIDE_SHIFT = 16 };

/* TREE with at most MOST nodes, and as many again that stand for others.  SIDES: it is of two sides, and those stay
 * that changed most. */
struct mp_html_tree *mp_html_tree(const struct mp_tree *tree, uint32_t most, bool sides);
void mp_html_tree_free(struct mp_html_tree *tree);

/* Numbers of the page's functions by function of the tree's view, from 2 in the order of their first nodes; 0: it
 * has no node.  ONLY: nodes of the tree that this one has not do not count; it may be NULL.  *N: how many numbers
 * there are, with 0 and 1, which are none.  In ARENA. */
uint32_t *mp_html_function_numbers(const struct mp_tree *tree, const struct mp_html_tree *only, uint32_t *n,
                                   struct mp_arena *arena);

/* A figure of a cell as the page has it, and its key. */
struct mp_html_column {
    const char *key;
    enum mp_figure figure;
};
#define MP_HTML_COLUMNS 7
extern const struct mp_html_column mp_html_columns[MP_HTML_COLUMNS];
int64_t mp_html_figure(const struct mp_counts *counts, enum mp_figure figure);

#endif
