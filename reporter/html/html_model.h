/*
 * html_model.h -- writes the data of a page as one JSON object, the model, which page/model.js reads.
 *
 * Lists of like items are written as columns. To compress well, `up` of a node is its id minus its caller's id, and
 * the ids of nodes in cells and moments are differences, too. All figures are in cells: a cell has the figures of one
 * kind that were counted in a node itself.
 */
#ifndef MP_HTML_MODEL_H
#define MP_HTML_MODEL_H

#include "html_difference.h"
#include "html_tree.h"
#include "reporter/base/buffer.h"
#include "reporter/findings/findings.h"
#include "reporter/heap/heap_series.h"
#include "reporter/output/said_part.h"
#include "reporter/output/source_paths.h"

struct mp_html_model {
    const struct mp_profile *profile;   /* as it was read; used for the head */
    const struct mp_html_tree *tree;
    const struct mp_findings *findings; /* findings of the tree's view, or of a view with all frames; NULL to
                                           show no findings */
    const struct mp_said_part *part;    /* the part of the profile that is shown; NULL if all is shown */
    const struct mp_html_difference *difference;        /* NULL for figures of one profile; otherwise the tree has two
                                                           sides (html_tree.h), and figures are differences */
    bool lisp;                  /* objects of Lisp only */
    const struct mp_source_paths *sources;      /* source files that are included in the page, or NULL */
    const struct mp_heap_series *heaps; /* snapshots of the heap, see html_heap.h, or NULL */
    const struct mp_buffer *sums;       /* output of mp_html_sums_write() if the tree does not have all nodes; else
                                           NULL */
    bool no_room_for_sources;   /* sources were requested but did not fit */
    bool no_room_for_moments;   /* the time line has totals only, without what was live at its points */
};

void mp_html_model_write(const struct mp_html_model *model, struct mp_buffer *out);

#endif
