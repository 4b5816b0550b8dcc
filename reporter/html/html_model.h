/*
 * html_model.h -- what a page knows of a profile, as one JSON object; page/model.js reads it.
 *
 * Lists of like things are columns.  `up` of a node is its own id less its caller's; ids of nodes that
 * cells and moments refer to are differences, too, so that they compress.  Cells are all figures there
 * are: those of a node by itself, of one kind.
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
    const struct mp_profile *profile;   /* as it was read, for the head */
    const struct mp_html_tree *tree;
    const struct mp_findings *findings; /* of the tree's view, or of one of their own; NULL: none are shown */
    const struct mp_said_part *part;    /* what part of the profile is shown; NULL: all */
    const struct mp_html_difference *difference;        /* the tree is of two sides (html_tree.h), and figures are
                                   how these differ; NULL: they are those of the profile */
    bool lisp;                  /* objects of Lisp only */
    const struct mp_source_paths *sources;      /* with the lines of source files; NULL: without */
    const struct mp_heap_series *heaps; /* with these snapshots of its heap, see html_heap.h; NULL: without */
    const struct mp_buffer *sums;       /* as mp_html_sums_write() writes them, where the tree has not all nodes; NULL:
                                   it has */
    bool no_room_for_sources;   /* they were asked for */
    bool no_room_for_moments;   /* totals of the time line only, without what was alive when */
};

void mp_html_model_write(const struct mp_html_model *model, struct mp_buffer *out);

#endif
