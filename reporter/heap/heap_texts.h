/* SPDX-License-Identifier: MIT */
/* heap_texts.h -- texts for the parts of a heap: objects, types, sites, roots and slots. */
#ifndef MP_HEAP_TEXTS_H
#define MP_HEAP_TEXTS_H

#include "heap.h"

/* Return a text for a node, a type, a site or a top. The text of a node is the title of a top, or the type of an object
 * and the beginning of its text. New texts are allocated in ARENA. */
const char *mp_heap_node_text(const struct mp_heap *heap, uint32_t node, struct mp_arena *arena);
const char *mp_heap_type_text(const struct mp_heap *heap, uint32_t type);
const char *mp_heap_site_text(const struct mp_heap *heap, uint32_t site, struct mp_arena *arena);
const char *mp_heap_top_text(const struct mp_heap *heap, uint32_t top);

/* Removes the parts of HEAP's type names that may change during an object's life, such as how full a table is.
 * Callers that compare snapshots need this, so that an object has the same type in all of them. */
void mp_heap_forget_states(struct mp_heap *heap);

/* Returns the name of the first slot of FROM that refers to TO and is not weak. Returns "" if FROM is a top. */
const char *mp_heap_slot_text(const struct mp_heap *heap, uint32_t from, uint32_t to, struct mp_arena *arena);

/* Returns the name of the slot of FROM that holds REFERENCE, an index into mp_heap.to. For a top, returns its kind
 * and group. */
const char *mp_heap_reference_text(const struct mp_heap *heap, uint32_t from, uint32_t reference,
                                   struct mp_arena *arena);

#endif
