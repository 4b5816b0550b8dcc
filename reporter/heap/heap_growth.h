/*
 * heap_growth.h -- compares two or three snapshots of one program: what grew, and what was added and stayed.
 *
 * Types, sites and roots are the same if their texts are the same, without the parts that may change during an
 * object's life (heap_texts.h). Objects are the same if their address, type and size are the same.
 */
#ifndef MP_HEAP_GROWTH_H
#define MP_HEAP_GROWTH_H

#include "heap_table.h"
#include "dominate.h"

/* Adds the tables "types", "sites" and "roots" of what changed from BEFORE to AFTER. Returns false and fills *ERROR
 * if references cannot be read. */
bool mp_heap_growth(struct mp_heap *before, struct mp_heap *after, struct mp_heap_tables *tables,
                    struct mp_error *error);

/* Adds the tables "types" and "sites" of the objects that are in SECOND and THIRD, but not in FIRST. */
void mp_heap_survivors(struct mp_heap *first, struct mp_heap *second, struct mp_heap *third,
                       struct mp_heap_tables *tables);

#endif
