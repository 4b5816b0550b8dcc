/*
 * sites.h -- what was allocated on each partial chain: the rows of the tables of leaks, of survival
 * and of sites.
 */
#ifndef MP_SITES_H
#define MP_SITES_H

#include "reporter/profile/chain.h"
#include "reporter/profile/profile.h"

enum mp_objects { MP_OBJECTS_ALL, MP_OBJECTS_C, MP_OBJECTS_LISP };

struct mp_site {
    uint32_t context;           /* one of those with this chain */
    uint32_t kind;              /* 0: all of them */
    struct mp_counts counts;
    char *path;                 /* of a site that was chosen; owned */
};

struct mp_sites {
    const struct mp_profile *profile;
    struct mp_chain_options chain;
    bool by_kind;               /* what is of another kind is another site */
    const uint32_t *chains;     /* of mp_chain_numbers() where whole chains are wanted, else NULL */
    struct mp_arena *arena;     /* owns CHAINS and the list */
    struct mp_site *list;
    size_t n;
    uint32_t room;
};

/* Sum the cells of WHICH objects by chain.  Profile and chain are set, the rest is zero; free it
 * in the end. */
void mp_sites_collect(struct mp_sites *sites, enum mp_objects which);
void mp_sites_free(struct mp_sites *sites);

/* Give a path to each site that KEEP wants, and move those to the front.  Their number, or
 * SIZE_MAX: no memory. */
size_t mp_sites_choose(struct mp_sites *sites,
                       bool (*keep)(const struct mp_site *site, const void *data),
                       const void *data);

/* Sums of the sites from FROM on. */
struct mp_counts mp_sites_rest(const struct mp_sites *sites, size_t from);

#endif
