/* SPDX-License-Identifier: MIT */
/*
 * html_sums.h -- sums figures of functions, calls, modules, files and lines over all nodes of a tree.
 *
 * The page cannot compute these sums from its nodes, because it may lack nodes. It only sums what was live at points in
 * time. A byte is credited once to each function, call and line on its chain.
 */
#ifndef MP_HTML_SUMS_H
#define MP_HTML_SUMS_H

#include "html_tree.h"
#include "reporter/base/buffer.h"

/* How sums are broken down. If there are two sides, all sums are broken down by side, too. */
enum mp_html_detail {
    MP_HTML_BY_KIND,            /* by kind and thread */
    MP_HTML_BY_NONE             /* no other breakdown */
};

/* Writes the member `sums` of the model, which page/sums.js reads. SIDES is as for mp_html_tree(). */
void mp_html_sums_write(const struct mp_tree *tree, bool sides, enum mp_html_detail detail, struct mp_buffer *out);

#endif
