/* SPDX-License-Identifier: MIT */
/*
 * html_tree.h -- the tree that a page shows: the tree of a view, with a bounded number of nodes.
 *
 * If the view's tree has too many nodes, the nodes with the largest share of any figure (except blocks at the peak)
 * stay, with all their callers. The others are merged into one node below each remaining caller, so that no figure is
 * lost.
 */
#ifndef MP_HTML_TREE_H
#define MP_HTML_TREE_H

#include "reporter/graph/tree.h"

struct mp_html_node {
    uint32_t parent;            /* less than the node's own id; node 0 is the root */
    uint32_t from;              /* node of the view's tree, or MP_NO_ID for a merged node */
};

/* The figures of cells in the page, with their keys in the model. */
struct mp_html_column {
    const char *key;
    enum mp_figure figure;
};
#define MP_HTML_COLUMNS 7
extern const struct mp_html_column mp_html_columns[MP_HTML_COLUMNS];

/* The figures of one kind and thread that were counted in a node itself. */
struct mp_html_cell {
    uint32_t node, kind, thread;
    uint32_t size_min, size_max;        /* bytes, as in struct mp_cell */
    int64_t figures[MP_HTML_COLUMNS];
};

/* The threads of a page. Threads with equal names count as one thread, as for the option --thread. */
struct mp_html_threads {
    const char **names; uint32_t n;     /* names of threads with cells, in the order of their first cells; NULL for
                                           threads without a known name */
    uint32_t *of;               /* index in `names`, by context of the view */
};

struct mp_html_tree {
    const struct mp_tree *tree;
    struct mp_html_node *nodes; uint32_t n_nodes;
    struct mp_html_cell *cells; uint32_t n_cells;       /* sorted by node, kind and thread, without duplicates */
    uint32_t *to;               /* node of this tree, by node of the view's tree */
    struct mp_html_threads threads;
    uint32_t left;              /* number of nodes of the view's tree that were merged */
    struct mp_counts left_counts;       /* figures of these nodes; with two sides, the sum of both */
    struct mp_arena *arena;     /* owns everything above except `tree` */
};

/* In a tree of two sides, the bits of a cell's kind from this one on are its enum mp_side. */
enum { MP_HTML_SIDE_SHIFT = 16 };

/* Returns the page's tree for TREE. At most MOST nodes stay, and at most as many merged nodes are added. If SIDES is
 * set, TREE has two sides, and the nodes that changed most stay. */
struct mp_html_tree *mp_html_tree(const struct mp_tree *tree, uint32_t most, bool sides);
void mp_html_tree_free(struct mp_html_tree *tree);

/* Returns the threads of VIEW. The result is allocated in ARENA. */
struct mp_html_threads mp_html_threads(const struct mp_profile *view, struct mp_arena *arena);

/* Returns, by context of the tree's view, the node of TREE that has its cells, or 0 if the context has no cells. The
 * result is allocated in ARENA. */
uint32_t *mp_html_nodes_of_contexts(const struct mp_html_tree *tree, struct mp_arena *arena);

/* Returns the page's number of each function of the tree's view, or 0 for functions without nodes. Numbers begin at 2,
 * in the order of the functions' first nodes, because the page uses 0 for the root and 1 for merged nodes. If ONLY is
 * not NULL, ignores nodes that are merged in ONLY. Sets *N to the largest number plus 1. The result is allocated in
 * ARENA. */
uint32_t *mp_html_function_numbers(const struct mp_tree *tree, const struct mp_html_tree *only, uint32_t *n,
                                   struct mp_arena *arena);

#endif
