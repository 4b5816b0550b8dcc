/*
 * graph_roots.h -- the roots of a snapshot: finds and names them, and follows their references.
 */
#ifndef MP_LISP_GRAPH_ROOTS_H
#define MP_LISP_GRAPH_ROOTS_H

#include "graph_state.h"

/* Reads the mappings of the process. Must be called first. */
void mp_graph_read_mappings(struct mp_object_graph *g);

/* Adds WORD, located at PLACE (0 if not in memory), as a root if it refers to an object. */
void mp_graph_root(struct mp_object_graph *g, enum mp_heap_root_kind kind, uint32_t title, uint32_t group,
                   uintptr_t place,
                   uintptr_t word);

/* Calls mp_graph_root() for all words from START to END. */
void mp_graph_root_words(struct mp_object_graph *g, enum mp_heap_root_kind kind, uint32_t title, uint32_t group,
                         uintptr_t start, uintptr_t end);

/* Assigns SYMBOL's name to its index in the threads' vectors of variable values. Indices from MP_GRAPH_BINDINGS on
 * have no names. */
#define MP_GRAPH_BINDINGS (1u << 20)
void mp_graph_binding(struct mp_object_graph *g, cl_object symbol);

/* Add all roots except the threads' roots, which graph_threads.c adds. */
void mp_graph_lisp_roots(struct mp_object_graph *g);
void mp_graph_c_roots(struct mp_object_graph *g);

/* mp_graph_libgc() marks libgc's own data in the heap. mp_graph_finalizers() adds objects that only libgc's
 * finalizers refer to. It must be called last. */
void mp_graph_libgc(struct mp_object_graph *g);
void mp_graph_finalizers(struct mp_object_graph *g);

/* Add roots from threads' environments and from their stacks. mp_graph_look_at_threads() finds the current ends of
 * the stacks, and must be called before the copy is made. */
void mp_graph_environments(struct mp_object_graph *g);
void mp_graph_stacks(struct mp_object_graph *g);
void mp_graph_look_at_threads(struct mp_object_graph *g);

/* Implements own_places of struct mprof_lisp (lisp.h). */
void mp_graph_own_places(void *symbols, void (*add)(void *data, uintptr_t start, uintptr_t end), void *data);

#endif
