/* SPDX-License-Identifier: MIT */
/*
 * containers.h -- finds lists, vectors and hash tables in a heap and names them by what they contain.
 *
 * A list consists of a cons that is not the cdr of another cons, and of the conses that follow by their cdrs. If lists
 * share a tail, it belongs to the first of them by address. Immediate values, such as fixnums, characters and NIL, are
 * not objects. In a list, a cons whose car is not an object contains an immediate value, which is counted as an element
 * without a type. In a vector, immediate values are not counted, because a snapshot does not contain the number of the
 * vector's elements. In a hash table, immediate keys are named by their kind. The name of an element that is itself a
 * container contains the name of its first element, down to a given depth.
 */
#ifndef MP_CONTAINERS_H
#define MP_CONTAINERS_H

#include "dominate.h"
#include "heap_table.h"
#include "reach.h"

/* Finds the containers in the set, or all containers if IN_SET is NULL. Names elements down to DEPTH levels. References
 * must be in memory. The caller frees the result. */
struct mp_heap_containers;
struct mp_heap_containers *mp_heap_containers_find(const struct mp_heap *heap, mp_heap_in_set *in_set, const void *data,
                                                   uint32_t depth);
void mp_heap_containers_free(struct mp_heap_containers *containers);

/* Adds a table of the containers, sorted by retained size, to TABLES. Adds no table if there are no containers. Must be
 * called only once for each result of mp_heap_containers_find(). */
void mp_heap_containers_put(struct mp_heap_containers *containers, const struct mp_dominators *dominators,
                            struct mp_heap_tables *tables);

#endif
