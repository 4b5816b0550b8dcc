/*
 * graph_mark.h -- finds live objects by following references from the roots, and determines their types.
 */
#ifndef MP_LISP_GRAPH_MARK_H
#define MP_LISP_GRAPH_MARK_H

#include "graph_state.h"

/* Finds the object that WORD refers to, either as a tagged value of ECL or as the address of data. Returns false if
 * WORD refers to no object. */
bool mp_graph_refers(struct mp_object_graph *g, uintptr_t word, struct mp_graph_block *block);

/* Marks the object that WORD refers to, where WORD need not be a reference. Returns false if it does not refer to an
 * object. */
bool mp_graph_visit(struct mp_object_graph *g, uintptr_t word);

/* Like mp_graph_visit(), but also accepts references to data whose owner is unknown. */
bool mp_graph_visit_any(struct mp_object_graph *g, uintptr_t word);

/* Marks BLOCK as alive, with TYPE. */
void mp_graph_mark(struct mp_object_graph *g, const struct mp_graph_block *block, uint16_t type);

/* Follows the references of all objects visited so far. */
void mp_graph_follow(struct mp_object_graph *g);

/* Collects up to ROOM references of an object to objects that were found, starting with word *FROM. Returns their
 * number, and sets *FROM to the word at which to continue. */
uint64_t mp_graph_references(struct mp_object_graph *g, const struct mp_graph_block *block, uint64_t *from,
                             struct mp_stream_reference *references, uint64_t room);

#endif
