/* SPDX-License-Identifier: MIT */
/* graph_dot.h -- the call graph in Graphviz's dot language, or drawn as SVG by dot(1). */
#ifndef MP_GRAPH_DOT_H
#define MP_GRAPH_DOT_H

#include <stdbool.h>
#include <stdio.h>

#include "reporter/base/error.h"
#include "reporter/profile/profile.h"
#include "reporter/table/print.h"

/* Writes the graph of VIEW's functions to OUT. It contains the functions above PRINT's threshold, at most PRINT->most
 * (80 if that is 0). The letters of a box grow with what its function allocates itself; the thickness of an arrow
 * grows with what is allocated by that call. */
void mp_graph_dot(const struct mp_profile *view, const struct mp_print_options *print, bool all_frames, FILE *out);

/* Runs dot(1) on the same graph, and lets it write an SVG to standard output. Returns false and sets *ERROR if dot is
 * not installed or fails. */
bool mp_graph_svg(const struct mp_profile *view, const struct mp_print_options *print, bool all_frames,
                  struct mp_error *error);

#endif
