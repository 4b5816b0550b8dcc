/*
 * heap_growth.h -- two or three snapshots of one program: what grew, and what came and stayed.
 *
 * Types, sites and roots are the same if their texts are, without what may change of an object (heap_texts.h);
 * objects are the same if address, type and size are.
 */
#ifndef MP_HEAP_GROWTH_H
#define MP_HEAP_GROWTH_H

#include "heap_table.h"
#include "dominate.h"

/* What grew from BEFORE to AFTER: tables "types", "sites", "roots". */
bool mp_heap_growth(struct mp_heap *before, struct mp_heap *after, struct mp_heap_tables *tables,
                    struct mp_error *error);

/* Objects that are not in FIRST, but in SECOND and in THIRD: tables "types" and "sites". */
void mp_heap_survivors(struct mp_heap *first, struct mp_heap *second, struct mp_heap *third,
                       struct mp_heap_tables *tables);

#endif
