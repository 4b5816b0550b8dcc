/* graph_dot.h -- the call graph as a drawing: in the language of Graphviz, and as an SVG by its dot(1). */
#ifndef MP_GRAPH_DOT_H
#define MP_GRAPH_DOT_H

#include <stdbool.h>
#include <stdio.h>

#include "print.h"
#include "reporter/base/error.h"
#include "reporter/profile/profile.h"

/* Writes the graph of VIEW's functions to OUT: those that PRINT shows, at most PRINT->most or, if that is 0, 80 of
 * them, with boxes as large as what they allocate themselves, and arrows as thick as what is allocated by that call. */
void mp_graph_dot(const struct mp_profile *view, const struct mp_print_options *print, bool all_frames, FILE *out);

/* Has dot(1) write such a graph, the SIZE bytes of DOT, as an SVG to standard output.  False and *ERROR: it is not
 * installed, or failed. */
bool mp_graph_svg(const char *dot, size_t size, struct mp_error *error);

#endif
