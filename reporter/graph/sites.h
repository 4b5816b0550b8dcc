/*
 * sites.h -- what was allocated on each partial chain: the rows of the tables of leaks, of survival
 * and of sites.
 */
#ifndef MP_SITES_H
#define MP_SITES_H

#include "reporter/profile/chain.h"

enum mp_objects { MP_OBJECTS_ALL, MP_OBJECTS_C, MP_OBJECTS_LISP };

struct mp_site {
    uint32_t node;              /* one of those with this chain */
    uint32_t cell;              /* one of its cells, of the view's; if it is of one kind, the first */
    struct mp_counts counts;
    struct mp_lifetimes *lifetimes;     /* if wanted: see lifetimes.h; NULL: none is known */
    const char *chain;          /* text of a site that was chosen, */
    const char *const *words;   /* and of what it is put together */
};

struct mp_sites {
    struct mp_tree *tree;       /* made with `one_cut`; outlives the sites */
    struct mp_chain_options chain;
    bool by_kind;               /* what is of another kind is another site; */
    bool apart;                 /* or objects of Lisp and blocks are */
    enum mp_objects objects;
    bool lifetimes;             /* are wanted */
    struct mp_site *list;
    size_t n, room;
};

/* Sum the cells of the objects wanted by chain.  The list, n and room are zero, the rest is set; free
 * it in the end. */
void mp_sites_collect(struct mp_sites *sites);
void mp_sites_free(struct mp_sites *sites);

/* Give a chain, in ARENA, to each site that KEEP wants, and move those to the front.  Their number. */
size_t mp_sites_choose(struct mp_sites *sites,
                       bool (*keep)(const struct mp_site *site, const void *data),
                       const void *data, struct mp_arena *arena);

/* Sums of the sites from FROM on. */
struct mp_counts mp_sites_rest(const struct mp_sites *sites, size_t from);

/* A context with the chain of SITE. */
static inline uint32_t
mp_site_context(const struct mp_sites *sites, const struct mp_site *site)
{
    return sites->tree->profile->cells[site->cell].context;
}

#endif
