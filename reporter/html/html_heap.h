/* html_heap.h -- snapshots of the heap as a member of the page's model; page/heap_data.js reads it. */
#ifndef MP_HTML_HEAP_H
#define MP_HTML_HEAP_H

#include "reporter/base/buffer.h"
#include "reporter/heap/heap_series.h"

/* SERIES by MP_HEAP_BY_EACH:
 *
 *     "heap": {"snapshots": [{name, time, trigger, objects, bytes, heap: bytes of the system or null}],
 *              "texts": [...], "rows": {"type": [text], "package": ..., "function": ..., "site": ...},
 *              "cells": {"row": [each less the one before], "snapshot", "objects", "bytes"}, "left": rows}
 *
 * Of many rows the smallest are one, whose texts are all "[smaller rows]": so many as `left`. */
void mp_html_heap_write(const struct mp_heap_series *series, struct mp_buffer *out);

#endif
