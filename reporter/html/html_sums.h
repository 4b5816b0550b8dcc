/*
 * html_sums.h -- figures of functions, of calls between them, of modules, files and lines, from all nodes of a tree.
 *
 * The page computes them from the nodes that it has.  Where it has not all nodes, these sums take their place: a
 * byte is credited once to each function, call and line on its chain, which nodes that stand for several cannot tell.
 */
#ifndef MP_HTML_SUMS_H
#define MP_HTML_SUMS_H

#include "html_tree.h"
#include "reporter/base/buffer.h"

/* Numbers of the page's functions by function of the tree's view, from 2 in the order of their first nodes; 0: it
 * has no node.  ONLY: nodes of the tree that this one has not do not count; it may be NULL.  *N: how many numbers
 * there are, with 0 and 1, which are none.  In ARENA. */
uint32_t *mp_html_function_numbers(const struct mp_tree *tree, const struct mp_html_tree *only, uint32_t *n,
                                   struct mp_arena *arena);

/* How much sums are broken down. */
enum mp_html_detail {
    MP_HTML_BY_KIND,            /* by kind and thread */
    MP_HTML_BY_NONE             /* not at all, but by side where there are two */
};

/* Writes the member `sums` of the model, which page/sums.js reads.  SIDES as of mp_html_tree(). */
void mp_html_sums_write(const struct mp_tree *tree, bool sides, enum mp_html_detail detail, struct mp_buffer *out);

/* A figure of a cell as the page has it, and its key. */
struct mp_html_column {
    const char *key;
    enum mp_figure figure;
};
#define MP_HTML_COLUMNS 7
extern const struct mp_html_column mp_html_columns[MP_HTML_COLUMNS];
int64_t mp_html_figure(const struct mp_counts *counts, enum mp_figure figure);

#endif
