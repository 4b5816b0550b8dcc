/*
 * graph_roots.h -- the roots of a snapshot: where references begin, what they are called, and all that is found
 * along them.
 */
#ifndef MP_LISP_GRAPH_ROOTS_H
#define MP_LISP_GRAPH_ROOTS_H

#include "graph_state.h"

/* The mappings of the process; before all else. */
void mp_graph_read_mappings(struct mp_graph *g);

/* WORD, at PLACE (0: in no memory), is a root if it refers to an object. */
void mp_graph_root(struct mp_graph *g, enum mp_heap_root_kind kind, uint32_t title, uint32_t group, uintptr_t place,
                   uintptr_t word);

/* The same for all words from START to END. */
void mp_graph_root_words(struct mp_graph *g, enum mp_heap_root_kind kind, uint32_t title, uint32_t group,
                         uintptr_t start, uintptr_t end);

bool mp_graph_is_symbol(struct mp_graph *g, cl_object o);

/* SYMBOL has a place in the values of each thread: from here on they are called by its name.  Places from
 * MP_GRAPH_BINDINGS on have no names. */
#define MP_GRAPH_BINDINGS (1u << 20)
void mp_graph_binding(struct mp_graph *g, cl_object symbol);

/* All roots, but those of threads (graph_threads.c). */
void mp_graph_lisp_roots(struct mp_graph *g);
void mp_graph_c_roots(struct mp_graph *g);

/* What libgc has for itself in the heap.  And, when all that other roots lead to is known, what only its finalizers
 * lead to. */
void mp_graph_libgc(struct mp_graph *g);
void mp_graph_finalizers(struct mp_graph *g);

/* Threads' environments, then their stacks.  And: before the copy is made, where the stacks end now. */
void mp_graph_environments(struct mp_graph *g);
void mp_graph_stacks(struct mp_graph *g);
void mp_graph_look_at_threads(struct mp_graph *g);

/* As own_places of struct mprof_lisp (lisp.h). */
void mp_graph_own_places(void *symbols, void (*add)(void *data, uintptr_t start, uintptr_t end), void *data);

#endif
