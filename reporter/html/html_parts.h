/* SPDX-License-Identifier: MIT */
/* html_parts.h -- writes the parts of the model other than the tree: kinds, head, tables, findings, sources, time line,
 * and snapshots of the heap. */
#ifndef MP_HTML_PARTS_H
#define MP_HTML_PARTS_H

#include "html_model.h"
#include "reporter/table/head.h"
#include "reporter/table/table.h"

/* Sums of the callees of nodes of a tree whose nodes are visited callees first. Only nodes of which some callees, but
 * not all, were visited have sums in memory. */
struct mp_html_below {
    uint32_t *slot;             /* by node: 1 + the index of its sums in `list`, or 0 if they are 0 */
    struct mp_html_below_sums {
        union {
            int64_t values[MP_HTML_COLUMNS];
            double weights[MP_HTML_COLUMNS];
        };
        uint32_t next;          /* of unused sums: 1 + the index of the next unused ones, or 0 */
    } *list;
    uint32_t n, room;
    uint32_t unused;            /* 1 + the index of the first unused sums, or 0 */
};

/* Returns the sums of the callees of NODE, for the caller to add to. They are valid until the next call. */
struct mp_html_below_sums *mp_html_below_add(struct mp_html_below *below, uint32_t node);

/* Returns the sums of the callees of NODE, all of which were visited, and forgets them. */
struct mp_html_below_sums mp_html_below_take(struct mp_html_below *below, uint32_t node);

/* Writes the keys of the map NAMES, in the order of their ids, as the member KEY. */
void mp_html_names_write(const char *key, const struct mp_map *names, struct mp_buffer *out);

/* Returns the index of KIND in the model's list of kinds, which has four size classes and then the profile's kinds. */
uint32_t mp_html_kind(const struct mp_profile *profile, uint32_t kind);

/* Writes the list of kinds. */
void mp_html_kinds_write(const struct mp_profile *profile, struct mp_buffer *out);

/* Writes the lines of the head. A line is a list: first a label, then names, or a number of blocks and the bytes as
 * text, where the line has them, then a text if it is not empty. */
void mp_html_head_write(const struct mp_head *head, struct mp_buffer *out);

/* Writes sentences about the part of the profile that the page shows, as the member `part`. If it is a part of the
 * time, also writes `window`, with members of struct mp_window and the window's description. */
void mp_html_part_write(const struct mp_said_part *part, struct mp_buffer *out);

/* Writes TABLE as the member KEY, a list with an object for each row. The keys of the objects are the keys of the
 * columns. Leaves out columns that the page can compute from others. */
void mp_html_table_write(const char *key, const struct mp_table *table, struct mp_buffer *out);

/* Writes the table of sizes, unless the page shows only Lisp objects, and the table of types. */
void mp_html_tables_write(const struct mp_html_model *model, struct mp_buffer *out);

/* Writes the findings. Each has the id of its node, or 0 if the findings are of another view than the page. */
void mp_html_findings_write(const struct mp_html_model *model, struct mp_buffer *out);

/* Writes lines of the source files that FILES names, by id in FILES, with doubts whether they are those of the
 * recording PROFILE: {"doubt": text, "parts": [[first line, [text ...]] ...]}. These are all lines, or those near the
 * lines of calls in TREE. Leaves out files that SOURCES does not allow, that cannot be read now or do not fit; if all
 * lines are wanted, also writes the number of these files. Sets the counts in SOURCES. */
void mp_html_sources_write(const struct mp_map *files, const struct mp_profile *profile, const struct mp_tree *tree,
                           struct mp_html_sources *sources, struct mp_buffer *out);

/* Writes the time line, if there is one. The live blocks at a point in time are written as changes since the previous
 * point. */
void mp_html_time_write(const struct mp_html_model *model, struct mp_buffer *out);

/* Writes what the largest resident memory of VIEW consisted of, if it was observed, as the member `resident`:
 * {"bytes", "time": ns, "parts": [[text, bytes] ...]}, largest parts first. */
void mp_html_resident_write(const struct mp_profile *view, struct mp_buffer *out);

/* Writes SERIES, which must be by MP_HEAP_BY_EACH, as the member `heap`, which page/heap_data.js reads:
 *
 *     {"snapshots": [{name, number, trigger, time, objects, bytes, "heap": bytes of the whole heap or null,
 *                     "live": bytes alive after the last collection or null, "word": bytes of a word, 0 if unknown,
 *                     "roots": [[sort, parent, name, group, left, objects, bytes, retained]]}],
 *      "mostRoots": maximum length of `roots` without sums, "deepestRoots": MP_HEAP_TREE_DEEPEST,
 *      "rows": {"type": [index of text], "package": ..., "function": ..., "site": ..., "file": ...},
 *      "texts": [...],
 *      "cells": {"row": [differences], "snapshot": ..., "objects": ..., "bytes": ...},
 *      "left": number of rows that were merged}
 *
 * The elements of `roots` are the members of struct mp_heap_branch. Their sort is a word, and their name and group are
 * indices of texts. If there are too many rows, the smallest are merged into one row, whose texts are all
 * "[smaller rows]". */
void mp_html_heap_write(const struct mp_heap_series *series, struct mp_buffer *out);

#endif
