/*
 * graph_write.h -- writes all live objects to the snapshot, in the order of their addresses.
 */
#ifndef MP_LISP_GRAPH_WRITE_H
#define MP_LISP_GRAPH_WRITE_H

#include "graph_state.h"

void mp_graph_write(struct mp_object_graph *g);

#endif
