/* html_heap.h -- writes snapshots of the heap as a member of the page's model, which page/heap_data.js reads. */
#ifndef MP_HTML_HEAP_H
#define MP_HTML_HEAP_H

#include "reporter/base/buffer.h"
#include "reporter/heap/heap_series.h"

/* Writes SERIES, which must be by MP_HEAP_BY_EACH:
 *
 *     "heap": {"snapshots": [{name, number, time, trigger, objects, bytes, heap: bytes of the whole heap or null,
 *                             "roots": [[sort, parent, name, group, left, objects, bytes, retained]]}],
 *              "mostRoots": most of `roots` without sums, "deepestRoots": MP_HEAP_TREE_DEEPEST,
 *              "texts": [...],
 *              "rows": {"type": [index of text], "package": ..., "function": ..., "site": ..., "file": ...},
 *              "cells": {"row": [differences], "snapshot", "objects", "bytes"}, "left": rows left out}
 *
 * The elements of `roots` are the members of struct mp_heap_branch. The sort is a word, name and group are indices of
 * texts.
 *
 * If there are too many rows, the smallest are merged into one, whose texts are all "[smaller rows]". */
void mp_html_heap_write(const struct mp_heap_series *series, struct mp_buffer *out);

#endif
