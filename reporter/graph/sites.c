#include "sites.h"

#include <stdlib.h>

#include "reporter/base/map.h"

static bool
is_empty(const struct mp_site *site)
{
    return site->counts.allocs == 0 && site->counts.frees == 0 && site->counts.bytes == 0;
}

/* Do neighbours among the sorted cells belong together, whatever their chain? */
static bool
same_sum(const struct mp_sites *sites, const struct mp_cell *a, const struct mp_cell *b)
{
    return a->context == b->context && (!sites->by_kind || a->kind == b->kind);
}

static uint64_t
hash_of(const struct mp_sites *sites, const struct mp_site *site)
{
    uint64_t chain = sites->chains ? sites->chains[site->context]
                                   : mp_chain_hash(sites->profile, &sites->chain, site->context);

    return chain ^ (uint64_t)site->kind << 32;
}

/* What is_same() looks for. */
struct sought {
    const struct mp_sites *sites;
    const struct mp_site *site;
};

static bool
is_same(const void *data, uint32_t id)
{
    const struct sought *sought = data;
    const struct mp_sites *sites = sought->sites;
    const struct mp_site *a = &sites->list[id], *b = sought->site;

    return a->kind == b->kind &&
           (sites->chains
                ? sites->chains[a->context] == sites->chains[b->context]
                : mp_chain_equal(sites->profile, &sites->chain, a->context, b->context));
}

static void
add(struct mp_sites *sites, struct mp_map *ids, const struct mp_site *sum)
{
    struct sought sought = {sites, sum};
    uint32_t id = mp_map_add_hashed(ids, hash_of(sites, sum), is_same, &sought);

    if (id < sites->n) {
        mp_counts_add(&sites->list[id].counts, &sum->counts);
        return;
    }
    sites->list = mp_arena_grow(sites->arena, sites->list, id, &sites->room, sizeof *sites->list);
    sites->list[sites->n++] = *sum;
}

/* Sum the cells that belong together, and the sums of each chain. */
void
mp_sites_collect(struct mp_sites *sites, enum mp_objects which)
{
    const struct mp_profile *profile = sites->profile;
    const struct mp_cell *cells = profile->cells;
    struct mp_map ids = {.arena = sites->arena = mp_arena_new()};

    if (sites->chain.limit == 0)
        sites->chains = mp_chain_numbers(profile, &sites->chain, sites->arena);
    for (uint32_t i = 0, first = 0; i < profile->n_cells; first = i) {
        struct mp_site sum = {.context = cells[i].context,
                              .kind = sites->by_kind ? cells[i].kind : 0};

        for (; i < profile->n_cells && same_sum(sites, &cells[first], &cells[i]); i++)
            if (which == MP_OBJECTS_ALL || mp_is_lisp(&cells[i]) == (which == MP_OBJECTS_LISP))
                mp_counts_add(&sum.counts, &cells[i].counts);
        if (!is_empty(&sum))
            add(sites, &ids, &sum);
    }
}

void
mp_sites_free(struct mp_sites *sites)
{
    for (size_t i = 0; i < sites->n; i++)
        free(sites->list[i].path);
    mp_arena_free(sites->arena);
}

size_t
mp_sites_choose(struct mp_sites *sites, bool (*keep)(const struct mp_site *site, const void *data),
                const void *data)
{
    size_t chosen = 0;

    for (size_t i = 0; i < sites->n; i++) {
        struct mp_site site = sites->list[i];

        site.path = NULL;
        if (!keep(&site, data))
            continue;
        site.path = mp_chain_text(sites->profile, &sites->chain, site.context);
        if (!site.path)
            return SIZE_MAX;
        sites->list[i] = sites->list[chosen];
        sites->list[chosen++] = site;
    }
    return chosen;
}

struct mp_counts
mp_sites_rest(const struct mp_sites *sites, size_t from)
{
    struct mp_counts sum = {0};

    for (size_t i = from; i < sites->n; i++)
        mp_counts_add(&sum, &sites->list[i].counts);
    return sum;
}
