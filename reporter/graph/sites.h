/* SPDX-License-Identifier: MIT */
/*
 * sites.h -- sums by partial chain, which are the rows of the tables of leaks, survival and sites.
 */
#ifndef MP_SITES_H
#define MP_SITES_H

#include "node_chain.h"

enum mp_objects { MP_OBJECTS_ALL, MP_OBJECTS_C, MP_OBJECTS_LISP };

struct mp_site {
    uint32_t node;              /* one of the nodes with this chain */
    uint32_t cell;              /* id of one of its cells; the first one if all are of one kind */
    struct mp_counts counts;
    struct mp_lifetimes *lifetimes;     /* lifetimes if wanted, see lifetimes.h, or NULL if unknown */
    const char *chain;          /* text of the chain, set by mp_sites_choose() */
};

struct mp_sites {
    struct mp_tree *tree;       /* built with `one_cut`; must outlive the sites */
    struct mp_chain_options chain;
    bool by_kind;               /* make separate sites for each kind */
    bool apart;                 /* without `by_kind`: make separate sites for Lisp objects and for malloc's blocks */
    enum mp_objects objects;
    bool lifetimes;             /* sum lifetimes, too */
    struct mp_site *list;
    size_t n, room;
};

/* Sums the cells of the wanted objects by chain. The caller sets all members except list, n and room, which are
 * zero. It frees the list with mp_sites_free(). */
void mp_sites_collect(struct mp_sites *sites);
void mp_sites_free(struct mp_sites *sites);

/* Moves the sites for which KEEP returns true to the front and sets their chains, in ARENA. Returns their
 * number. */
size_t mp_sites_choose(struct mp_sites *sites,
                       bool (*keep)(const struct mp_site *site, const void *data),
                       const void *data, struct mp_arena *arena);

/* Returns the sum of the sites from index FROM on. */
struct mp_counts mp_sites_rest(const struct mp_sites *sites, size_t from);

/* Returns a context with the chain of SITE. */
static inline uint32_t
mp_site_context(const struct mp_sites *sites, const struct mp_site *site)
{
    return sites->tree->profile->cells[site->cell].context;
}

#endif
