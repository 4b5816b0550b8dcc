/* SPDX-License-Identifier: MIT */
/*
 * retained.h -- sums of a heap: the objects of each type, site and package, and what roots retain.
 *
 * Here the retained size of a set of objects is the sum of the retained sizes of those objects that no other object
 * of the set dominates. It does not include memory that several objects of the set hold together, but none alone.
 * mp_heap_set_retained() computes the exact size, but needs a traversal.
 *
 * Roots, groups and kinds are nodes of the graph, so their retained sizes are exact: what is reachable only through
 * them.
 */
#ifndef MP_RETAINED_H
#define MP_RETAINED_H

#include "dominate.h"
#include "reach.h"

struct mp_heap_row {
    uint32_t id;                /* type, site, top or position, or MP_NO_ID if `name` identifies the row */
    const char *name;           /* name of the row if `id` is MP_NO_ID */
    uint64_t objects, bytes;    /* sums over the objects, reachable or not; parts of objects add bytes only */
    uint64_t lost_objects, lost;        /* the part of `objects` and `bytes` that no root reaches */
    uint64_t retained;          /* bytes */
};

struct mp_heap_rows {
    struct mp_heap_row *list;
    uint32_t n;
};
void mp_heap_rows_free(struct mp_heap_rows *rows);

/* Returns the sums of the objects by type, by site, by the site's function, package or source file, or by all of these.
 * A package is the part of a function's name before its first colon, or else the base name of the source file. Types
 * or sites with the same text share one row, which has the id of one of them. Rows without objects are left out. Rows
 * are sorted by retained bytes. If DOMINATORS is NULL, retained and lost are 0, and rows are sorted by bytes. */
enum mp_heap_by { MP_HEAP_BY_TYPE, MP_HEAP_BY_SITE, MP_HEAP_BY_FUNCTION, MP_HEAP_BY_PACKAGE, MP_HEAP_BY_FILE,
                  MP_HEAP_BY_EACH };    /* by all of these at once; a name is MP_HEAP_TEXTS texts, each with a NUL:
                                           type, package, function, site, file; package and file are "" if unknown */
#define MP_HEAP_TEXTS 5u
struct mp_heap_rows mp_heap_sums(const struct mp_heap *heap, const struct mp_dominators *dominators,
                                 enum mp_heap_by by);

/* Returns the tops of LEVEL, sorted by retained bytes. If UNDER is not MP_NO_ID, returns only those below UNDER, a
 * kind or a group. A row's own bytes are the bytes of the objects that its roots refer to; an object counts once for
 * each root. */
struct mp_heap_rows mp_heap_top_rows(const struct mp_heap *heap, const struct mp_dominators *dominators,
                                     enum mp_heap_level level, uint32_t under);

/* Returns, for each group of roots of the given KINDS, what is reachable from roots of this group only. KINDS has the
 * bits 1u << enum mp_heap_root_kind; UINT32_MAX means all kinds. */
struct mp_heap_rows mp_heap_group_rows(const struct mp_heap *heap, uint32_t kinds);

/* Returns the number and bytes of the objects in a set, of its objects that no root reaches, and of all objects that
 * are reachable only through the set. Parts of objects count as objects only if PARTS is set. */
struct mp_heap_set {
    struct mp_heap_sum all, lost, retained;
};
struct mp_heap_set mp_heap_set_retained(const struct mp_heap *heap, mp_heap_in_set *in_set, const void *data,
                                        bool parts);

/* Sets *ROWS to what the slots of TYPE and its parts retain. For each object of TYPE, a slot gets the retained sizes of
 * its targets that the object dominates. A target counts once for an object, even if several slots refer to it. Returns
 * false and fills *ERROR if references could not be read. The caller frees ROWS in either case. */
bool mp_heap_slots(struct mp_heap *heap, const struct mp_dominators *dominators, uint32_t type,
                   struct mp_heap_rows *rows, struct mp_error *error);

/* Collects the `most` rows that retain most, or all rows if `most` is 0. The caller sets `most` and zeroes everything
 * else. */
struct mp_heap_largest {
    uint32_t most;
    uint32_t n;                 /* number of rows added */
    struct mp_heap_rows rows;
    uint32_t room;
};
void mp_heap_largest_add(struct mp_heap_largest *largest, const struct mp_heap_row *row);

/* Returns the rows, sorted by retained bytes. Sets *REST to the number of rows left out. */
struct mp_heap_rows mp_heap_largest_rows(struct mp_heap_largest *largest, uint32_t *rest);

/* Returns the MOST largest nodes that the node at POSITION immediately dominates, or all if MOST is 0, sorted by
 * retained bytes. Ids are positions. Sets *REST to the number of nodes left out. */
struct mp_heap_rows mp_heap_dominated(const struct mp_heap *heap, const struct mp_dominators *dominators,
                                      uint32_t position, uint32_t most, uint32_t *rest);

#endif
