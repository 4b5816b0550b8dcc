/*
 * containers.h -- what lists, vectors and hash tables are of, as far as the graph tells.
 *
 * A list is a cons that is no other's cdr, and what follows it by cdrs; where lists share a tail, it is part of the
 * first one met, in the order of addresses.  Immediate values, as fixnums, characters and NIL, are no objects: of a
 * list they are counted, as what has no car, without telling which; of vectors they are not, because how many
 * elements one has is not in the graph.  Keys of hash tables are told by their kind.  Elements that are containers are
 * told by the first of theirs, down to a depth.
 */
#ifndef MP_CONTAINERS_H
#define MP_CONTAINERS_H

#include "dominate.h"
#include "heap_table.h"
#include "reach.h"

/* The containers in the set (NULL: all), as long as there are references. */
struct mp_heap_containers;
struct mp_heap_containers *mp_heap_containers_find(const struct mp_heap *heap, mp_heap_in_set *in_set, const void *data,
                                                   uint32_t depth);
void mp_heap_containers_free(struct mp_heap_containers *containers);

/* When there are dominators: a table of them by what they retain, to TABLES; none if there are no containers. */
void mp_heap_containers_put(struct mp_heap_containers *containers, const struct mp_dominators *dominators,
                            struct mp_heap_tables *tables);

#endif
