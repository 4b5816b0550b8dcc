/* heap_texts.h -- what is in a heap is called by these names. */
#ifndef MP_HEAP_TEXTS_H
#define MP_HEAP_TEXTS_H

#include "heap.h"

/* Texts for a node: of a top its title, of an object its type, and how its text begins.  In ARENA. */
const char *mp_heap_node_text(const struct mp_heap *heap, uint32_t node, struct mp_arena *arena);
const char *mp_heap_type_text(const struct mp_heap *heap, uint32_t type);
const char *mp_heap_site_text(const struct mp_heap *heap, uint32_t site, struct mp_arena *arena);
const char *mp_heap_top_text(const struct mp_heap *heap, uint32_t top);

/* Takes what may change of an object, how full a table is, out of the names of HEAP's types: for who compares
 * snapshots, in which the same object is to have the same type. */
void mp_heap_forget_states(struct mp_heap *heap);

/* In which slot of FROM is TO?  The first that is not weak; "" for tops. */
const char *mp_heap_slot_text(const struct mp_heap *heap, uint32_t from, uint32_t to, struct mp_arena *arena);

/* What slot SLOT of OBJECT is called: by its name, by the key of a hash table whose value it is, by its number. */
const char *mp_heap_slot_name(const struct mp_heap *heap, uint32_t object, uint64_t slot, struct mp_arena *arena);

/* The same of REFERENCE, an index into mp_heap.to, of FROM; of a top its kind and group. */
const char *mp_heap_reference_text(const struct mp_heap *heap, uint32_t from, uint32_t reference,
                                   struct mp_arena *arena);

#endif
