/* SPDX-License-Identifier: MIT */
/*
 * heap_growth.h -- compares snapshots of one program: what grew between two of them, which objects were added after the
 * first of three and are in the other two, and what differs between a snapshot and the sums of an earlier one.
 *
 * Types, sites and roots are the same if their texts are the same, without the parts that may change during an
 * object's life (heap_texts.h). Objects are the same if their address, type and size are the same.
 */
#ifndef MP_HEAP_GROWTH_H
#define MP_HEAP_GROWTH_H

#include "heap_report.h"

/* Adds the tables "types", "sites" and "roots" of what changed from BEFORE to AFTER. Returns false and fills *ERROR
 * if references cannot be read. */
bool mp_heap_growth(struct mp_heap *before, struct mp_heap *after, struct mp_heap_tables *tables,
                    struct mp_error *error);

/* Adds the tables "types" and "sites" of the objects that are in SECOND and THIRD, but not in FIRST. */
void mp_heap_survivors(struct mp_heap *first, struct mp_heap *second, struct mp_heap *third,
                       struct mp_heap_tables *tables);

/* The sums of a heap by type, package, site and root, which outlive the heap. */
struct mp_heap_state;
void mp_heap_state_free(struct mp_heap_state *state);

struct mp_heap_wish {
    const char *package;        /* only what belongs to this package; or NULL */
    const char *const *standard;        /* names of COMMON-LISP's symbols, followed by NULL */
    bool by_growth;             /* sort by growth instead of retained bytes */
    const struct mp_heap_state *since;  /* NULL for no changes */
};

/* Adds tables of what HEAP contains now and how that differs from an earlier state. If QUESTION names nothing, the
 * tables are "types", "packages", "sites" if sites are known, and "roots". If QUESTION names types, the tables are
 * "types" with the rows of these types, without retained bytes, and those of mp_heap_answer(). If QUESTION names a
 * root, the tables are only those of mp_heap_answer(). Returns the state of HEAP, which the caller frees. Returns NULL
 * and fills *ERROR on failure. */
struct mp_heap_state *mp_heap_now(struct mp_heap *heap, const struct mp_heap_question *question,
                                  const struct mp_heap_wish *wish, struct mp_heap_tables *tables,
                                  struct mp_error *error);

#endif
