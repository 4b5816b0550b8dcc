/*
 * containers.h -- finds lists, vectors and hash tables in a heap and names them by what they contain.
 *
 * A list is a cons that is no other's cdr, with the conses that follow by their cdrs. If lists share a tail, it
 * belongs to the first of them by address. Immediate values, such as fixnums, characters and NIL, are not objects. In
 * a list they are counted as elements without their type, because a cons without a car must hold one. In a vector
 * they are not counted, because the graph does not record its number of elements. Keys of hash tables are named by
 * their kind. An element that is itself a container is named by its first element, down to a given depth.
 */
#ifndef MP_CONTAINERS_H
#define MP_CONTAINERS_H

#include "dominate.h"
#include "heap_table.h"
#include "reach.h"

/* Finds the containers in the set, or all if IN_SET is NULL, and names elements down to DEPTH levels. References must
 * be in memory. The caller frees the result. */
struct mp_heap_containers;
struct mp_heap_containers *mp_heap_containers_find(const struct mp_heap *heap, mp_heap_in_set *in_set, const void *data,
                                                   uint32_t depth);
void mp_heap_containers_free(struct mp_heap_containers *containers);

/* Adds a table of the containers, sorted by retained size, to TABLES. Adds nothing if there are no containers. Call
 * it once the dominators are known. */
void mp_heap_containers_put(struct mp_heap_containers *containers, const struct mp_dominators *dominators,
                            struct mp_heap_tables *tables);

#endif
