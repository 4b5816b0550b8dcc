/* SPDX-License-Identifier: MIT */
/*
 * html_model.h -- writes the data of a page as one JSON object, the model, which page/model.js reads.
 *
 * Lists of equal items are written as columns. To compress well, `up` of a node is its id minus its caller's id, and
 * the ids of nodes in cells and moments are differences to the previous id. All figures are in cells, see
 * struct mp_html_cell. The model is compressed before it becomes part of the page.
 */
#ifndef MP_HTML_MODEL_H
#define MP_HTML_MODEL_H

#include "html.h"
#include "html_difference.h"
#include "html_tree.h"
#include "reporter/base/buffer.h"
#include "reporter/findings/findings.h"
#include "reporter/heap/heap_series.h"
#include "reporter/table/said_part.h"

struct mp_html_model {
    const struct mp_profile *profile;   /* the profile before it was restricted to a view; used for the head */
    const struct mp_html_tree *tree;    /* set by mp_html_pack() */
    const struct mp_findings *findings; /* findings of the tree's view, or of a view with all frames; NULL to
                                           show no findings */
    const struct mp_said_part *part;    /* the part of the profile that is shown; NULL if all is shown */
    const struct mp_html_difference *difference;        /* NULL for figures of one profile; otherwise the tree has two
                                                           sides (html_tree.h), and figures are differences */
    bool lisp;                  /* the page shows only Lisp objects */
    struct mp_html_sources *sources;    /* source files that are included in the page, or NULL */
    const struct mp_heap_series *heaps; /* snapshots of the heap by MP_HEAP_BY_EACH, or NULL */
    const struct mp_buffer *sums;       /* output of mp_html_sums_write(), or NULL if it does not fit */
    bool no_room_for_sources;   /* sources were requested but did not fit; `sources` is NULL */
    bool no_room_for_moments;   /* the time line has totals only, without what was live at its points */
};

void mp_html_model_write(const struct mp_html_model *model, struct mp_buffer *out);

/* Writes MODEL of TREE, compressed, to PACKED, with as many nodes as fit into MOST bytes of the page. Leaves out nodes,
 * sources and what was live at points in time if necessary, and the model states what was left out. Sets the model's
 * tree, which is freed before this function returns. The caller frees PACKED. */
void mp_html_pack(struct mp_html_model *model, const struct mp_tree *tree, size_t most, struct mp_buffer *packed);

#endif
