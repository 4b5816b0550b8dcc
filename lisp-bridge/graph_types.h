/*
 * graph_types.h -- types of a snapshot's objects: named as exactly as the objects tell.
 */
#ifndef MP_LISP_GRAPH_TYPES_H
#define MP_LISP_GRAPH_TYPES_H

#include "graph_state.h"

/* Types that no object tells. */
enum mp_graph_fixed {
    MP_GRAPH_CONS = 1, MP_GRAPH_WITH_POINTERS, MP_GRAPH_WITHOUT, MP_GRAPH_FIXED_UNCOLLECTABLE,
    MP_GRAPH_LIBGC_TABLE, MP_GRAPH_LIBGC_FINALIZER, MP_GRAPH_LIBGC_LINK,        /* what libgc has for itself */
    MP_GRAPH_VALUES             /* of all variables that a thread has bound: they are roots, by their names */
};

/* Before a copy is made, of a Lisp that has started: which sizes objects have, as libecl tells. */
void mp_graph_types_open(void);

/* The number of a fixed type; of the object at BLOCK by its header; 0: that is none.  0, too: there is no room. */
uint16_t mp_graph_fixed_type(struct mp_graph *g, enum mp_graph_fixed fixed);
uint16_t mp_graph_type(struct mp_graph *g, const struct mp_graph_block *block);

/* Of a block that an object of ECL's type TAG refers to, and that is none itself. */
uint16_t mp_graph_data_type(struct mp_graph *g, unsigned tag, bool pointers);

/* What the object O of TYPE is called, into ROOM; false: nothing. */
bool mp_graph_name(struct mp_graph *g, cl_object o, const struct mp_graph_type *type, char *room, size_t size);

/* Texts that are used often: the name of SYMBOL's package; 0: it has none.  And: of the C string NAME, which stays. */
uint32_t mp_graph_package_text(struct mp_graph *g, cl_object package);
uint32_t mp_graph_text(struct mp_graph *g, const char *name);

#endif
