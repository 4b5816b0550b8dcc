/*
 * graph_write.h -- the objects that were found, into the snapshot, in the order of their addresses.
 */
#ifndef MP_LISP_GRAPH_WRITE_H
#define MP_LISP_GRAPH_WRITE_H

#include "graph_state.h"

void mp_graph_write(struct mp_graph *g);

#endif
