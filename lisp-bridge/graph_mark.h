/*
 * graph_mark.h -- what is alive: found from roots along references, each object with its type.
 */
#ifndef MP_LISP_GRAPH_MARK_H
#define MP_LISP_GRAPH_MARK_H

#include "graph_state.h"

/* The object that WORD refers to, as ECL's values do, or as an address of data; false: none. */
bool mp_graph_refers(struct mp_graph *g, uintptr_t word, struct mp_graph_block *block);

/* WORD was found among words that may hold anything: does it refer to an object?  If so, that is alive. */
bool mp_graph_visit(struct mp_graph *g, uintptr_t word);

/* What may refer to data without its owner being known; else as mp_graph_visit(). */
bool mp_graph_visit_any(struct mp_graph *g, uintptr_t word);

/* BLOCK is alive, and of TYPE. */
void mp_graph_mark(struct mp_graph *g, const struct mp_graph_block *block, uint16_t type);

/* Follow the references of all that was visited. */
void mp_graph_follow(struct mp_graph *g);

/* The words of an object that refer to others which were found: those from word *FROM on, as many as there is ROOM
 * for; their number.  *FROM is where to go on. */
uint64_t mp_graph_references(struct mp_graph *g, const struct mp_graph_block *block, uint64_t *from,
                             struct mp_stream_reference *references, uint64_t room);

#endif
