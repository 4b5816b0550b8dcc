/* heap_texts.h -- what is in a heap is called by these names. */
#ifndef MP_HEAP_TEXTS_H
#define MP_HEAP_TEXTS_H

#include "heap.h"

/* Texts for a node: of a top its title, of an object its type, and how its text begins.  In ARENA. */
const char *mp_heap_node_text(const struct mp_heap *heap, uint32_t node, struct mp_arena *arena);
const char *mp_heap_type_text(const struct mp_heap *heap, uint32_t type);
const char *mp_heap_site_text(const struct mp_heap *heap, uint32_t site, struct mp_arena *arena);
const char *mp_heap_top_text(const struct mp_heap *heap, uint32_t top);

/* In which slot of FROM is TO?  The first that is not weak; "" for tops. */
const char *mp_heap_slot_text(const struct mp_heap *heap, uint32_t from, uint32_t to, struct mp_arena *arena);

#endif
