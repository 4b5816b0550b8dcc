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

/* How much sums are broken down. */
enum mp_html_detail {
    MP_HTML_BY_KIND,            /* by kind and thread */
    MP_HTML_BY_NONE             /* not at all, but by side where there are two */
};

/* Writes the member `sums` of the model, which page/sums.js reads.  SIDES as of mp_html_tree(). */
void mp_html_sums_write(const struct mp_tree *tree, bool sides, enum mp_html_detail detail, struct mp_buffer *out);

#endif
