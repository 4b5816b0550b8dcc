/*
 * html_tree.h -- the tree that a page shows: the tree of a view, with a bounded number of nodes.
 *
 * If the view's tree has too many nodes, those with the largest share of any figure stay, with all their callers. The
 * others are merged into one node below each caller, so that no figure is lost.
 */
#ifndef MP_HTML_TREE_H
#define MP_HTML_TREE_H

#include "reporter/profile/tree.h"

struct mp_html_node {
    uint32_t parent;            /* less than the node's own id; node 0 is the root */
    uint32_t from;              /* node of the view, or MP_NO_ID if merged from several */
};

/* The figures of one kind and thread that were counted in a node itself. */
struct mp_html_cell {
    uint32_t node, kind, thread;
    uint32_t size_min, size_max;        /* bytes, as in struct mp_cell */
    struct mp_counts counts;
};

/* The threads of a page. Threads with the same name are one, as for --thread. */
struct mp_html_threads {
    const char **names; uint32_t n;     /* names of threads that have cells, in the order of their first cells; NULL
                                           if unknown */
    uint32_t *of;               /* by context of the view: index in `names` */
};

struct mp_html_tree {
    const struct mp_tree *tree;
    struct mp_html_node *nodes; uint32_t n_nodes;
    struct mp_html_cell *cells; uint32_t n_cells;       /* sorted by node, kind and thread, without duplicates */
    uint32_t *to;               /* by node of the view: the node of this tree */
    struct mp_html_threads threads;
    uint32_t left;              /* number of the view's nodes that were merged */
    struct mp_counts left_counts;       /* figures of the merged nodes; with two sides, the sum of both */
    struct mp_arena *arena;     /* owns everything above except `tree` */
};

/* In a tree of two sides, the kind of a cell has the side (match.h) in the bits from this one on: 0 before, 1
 * after. */
enum { MP_HTML_SIDE_SHIFT = 16 };

/* Returns TREE with at most MOST nodes that stay, and as many merged ones. If SIDES, TREE has two sides, and the
 * nodes that changed most stay. */
struct mp_html_tree *mp_html_tree(const struct mp_tree *tree, uint32_t most, bool sides);
void mp_html_tree_free(struct mp_html_tree *tree);

/* Returns the threads of VIEW. The result is allocated in ARENA. */
struct mp_html_threads mp_html_threads(const struct mp_profile *view, struct mp_arena *arena);

/* Returns numbers by function of the tree's view, from 2 on in the order of first nodes. 0 means that the function
 * has no node. Nodes that are merged in ONLY, which may be NULL, are ignored. Sets *N to the largest number plus 1;
 * numbers 0 and 1 are not functions. The result is allocated in ARENA. */
uint32_t *mp_html_function_numbers(const struct mp_tree *tree, const struct mp_html_tree *only, uint32_t *n,
                                   struct mp_arena *arena);

/* A figure of cells in the page, with its key. */
struct mp_html_column {
    const char *key;
    enum mp_figure figure;
};
#define MP_HTML_COLUMNS 7
extern const struct mp_html_column mp_html_columns[MP_HTML_COLUMNS];

#endif
