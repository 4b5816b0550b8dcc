/*
 * graph_types.h -- determines the types of a snapshot's objects as exactly as the objects allow.
 */
#ifndef MP_LISP_GRAPH_TYPES_H
#define MP_LISP_GRAPH_TYPES_H

#include "graph_state.h"

/* Types that do not depend on an object's contents. */
enum mp_graph_fixed {
    MP_GRAPH_CONS = 1, MP_GRAPH_WITH_POINTERS, MP_GRAPH_WITHOUT, MP_GRAPH_FIXED_UNCOLLECTABLE,
    MP_GRAPH_LIBGC_TABLE, MP_GRAPH_LIBGC_FINALIZER, MP_GRAPH_LIBGC_LINK,        /* libgc's own data */
    MP_GRAPH_VALUES             /* vector of the values of all variables bound in a thread; the values are roots with
                                 * the variables' names */
};

/* Reads the sizes of all object types from libecl. Called before the copy is made, after ECL has started. */
void mp_graph_types_open(void);

/* Return the number of a fixed type, and of the type of the object at BLOCK according to its header. Return 0 if it
 * is no object, or if there are too many types. */
uint16_t mp_graph_fixed_type(struct mp_object_graph *g, enum mp_graph_fixed fixed);
uint16_t mp_graph_type(struct mp_object_graph *g, const struct mp_graph_block *block);

/* Returns the type of a data block to which an object with ECL's type TAG refers. */
uint16_t mp_graph_data_type(struct mp_object_graph *g, unsigned tag, bool pointers);

/* Writes the name of object O with TYPE to ROOM. Returns false if it has no name. */
bool mp_graph_name(struct mp_object_graph *g, cl_object o, const struct mp_graph_type *type, char *room, size_t size);

/* Return numbers of shared texts. mp_graph_package_text() returns the number of PACKAGE's name, or 0 if PACKAGE has
 * no name. mp_graph_text() returns that of the C string NAME, which must be static. */
uint32_t mp_graph_package_text(struct mp_object_graph *g, cl_object package);
uint32_t mp_graph_text(struct mp_object_graph *g, const char *name);

#endif
