/*
 * retained.h -- sums of a heap: what there is of each type, at each site, of each package; what roots hold.
 *
 * The retained size of a set of objects is here the sum of the retained sizes of those that no other of the set
 * dominates: what goes when any one of them goes, all together.  What several of them hold together, and none alone,
 * is not in it; mp_heap_set_retained() is the exact answer, at the price of a traversal.
 *
 * Roots, groups and kinds are nodes of the graph, so their retained sizes are exact: what is reached by them only.
 */
#ifndef MP_RETAINED_H
#define MP_RETAINED_H

#include "dominate.h"
#include "reach.h"

struct mp_heap_row {
    uint32_t id;                /* type, site, node; MP_NO_ID: see `name` */
    const char *name;           /* of rows that are known by it */
    uint64_t objects, bytes;    /* reached or not; parts of objects are bytes alone */
    uint64_t lost_objects, lost;        /* of them: what no root reaches */
    uint64_t retained;
};

struct mp_heap_rows {
    struct mp_heap_row *list;
    uint32_t n;
};
void mp_heap_rows_free(struct mp_heap_rows *rows);

/* Rows by type; by site; by the site's function; by package: the part of a function's name before its first colon,
 * else the source file it is in.  What has one text is one row, known by one of its types or sites.  Those that have
 * objects, by retained bytes.  Without DOMINATORS (NULL) nothing is known to be retained or lost: they are by
 * bytes. */
enum mp_heap_by { MP_HEAP_BY_TYPE, MP_HEAP_BY_SITE, MP_HEAP_BY_FUNCTION, MP_HEAP_BY_PACKAGE,
                  MP_HEAP_BY_EACH };    /* by all of them: a name is four texts, each with its end: type, package
                                           ("": not known), function, site */
struct mp_heap_rows mp_heap_sums(const struct mp_heap *heap, const struct mp_dominators *dominators,
                                 enum mp_heap_by by);

/* Tops of LEVEL by retained bytes, of those below UNDER, a kind or a group, only, unless MP_NO_ID.  Their own bytes are
 * those of the objects that they refer to, of each once. */
struct mp_heap_rows mp_heap_top_rows(const struct mp_heap *heap, const struct mp_dominators *dominators,
                                     enum mp_heap_level level, uint32_t under);

/* Groups of roots, whatever their kinds: what is reached by roots of one group only. */
struct mp_heap_rows mp_heap_group_rows(const struct mp_heap *heap);

/* The package of SITE: a part of a text in HEAP, *LENGTH bytes of it. */
const char *mp_heap_package(const struct mp_heap *heap, uint32_t site, size_t *length);

/* Objects of a set, their bytes, and what is reached with them only.  Unless PARTS is set, parts of objects do not
 * count as objects. */
struct mp_heap_set {
    struct mp_heap_sum all, lost, retained;
};
struct mp_heap_set mp_heap_set_retained(const struct mp_heap *heap, mp_heap_in_set *in_set, const void *data,
                                        bool parts);

/* What the slots of a type's objects and their parts hold: of what they refer to, and the object dominates, the
 * retained sizes, each once for an object.  False and *ERROR: references could not be read; rows are to be freed all
 * the same. */
bool mp_heap_slots(struct mp_heap *heap, const struct mp_dominators *dominators, uint32_t type,
                   struct mp_heap_rows *rows, struct mp_error *error);

/* The MOST largest that the node at POSITION dominates immediately, by retained bytes: ids are positions.  *REST:
 * how many there are besides. */
struct mp_heap_rows mp_heap_dominated(const struct mp_heap *heap, const struct mp_dominators *dominators,
                                      uint32_t position, uint32_t most, uint32_t *rest);

#endif
