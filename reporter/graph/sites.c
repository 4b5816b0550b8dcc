/* SPDX-License-Identifier: MIT */
#include "sites.h"

#include <stdlib.h>

#include "reporter/base/map.h"
#include "reporter/profile/lifetimes.h"

static bool
is_wanted(const struct mp_sites *sites, const struct mp_cell *cell)
{
    return sites->objects == MP_OBJECTS_ALL ||
           mp_is_lisp(cell) == (sites->objects == MP_OBJECTS_LISP);
}

static bool
is_empty(const struct mp_cell *cell)
{
    return !mp_basic_any(&cell->counts) && cell->counts.frees == 0;
}

/* Returns the number by which the site of CELL is distinguished from others with the same chain. */
static uint32_t
sort_of(const struct mp_sites *sites, const struct mp_cell *cell)
{
    return sites->by_kind ? cell->kind : sites->apart && mp_is_lisp(cell) ? MP_KIND_LISP : 0;
}

static uint32_t
kind_of(const struct mp_sites *sites, const struct mp_site *site)
{
    return sort_of(sites, &sites->tree->profile->cells[site->cell]);
}

/* The site that is_same() compares with. */
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

    return kind_of(sites, a) == kind_of(sites, b) &&
           mp_chain_equal(sites->tree, &sites->chain, a->node, b->node);
}

/* Returns the site with the chain of SITE, which has a node and a cell. Adds it to the list if it is new. If chains are
 * not limited, each node has its own chain, and no search is needed. */
static struct mp_site *
site_like(struct mp_sites *sites, struct mp_map *ids, const struct mp_site *site)
{
    struct sought sought = {sites, site};
    uint32_t id = (uint32_t)sites->n;

    if (sites->chain.limit > 0)
        id = mp_map_add_hashed(ids,
                               mp_chain_hash(sites->tree, &sites->chain, site->node) ^
                                   (uint64_t)kind_of(sites, site) << 32,
                               is_same, &sought);
    if (id < sites->n) {
        struct mp_site *same = &sites->list[id];

        same->cell = site->cell < same->cell ? site->cell : same->cell;
        return same;
    }
    if (sites->n == sites->room)
        sites->list = mp_need(
            reallocarray(sites->list, sites->room = 2 * sites->room + 64, sizeof *sites->list));
    sites->list[sites->n] = *site;
    return &sites->list[sites->n++];
}

/* Returns the end of the cells of one site that begin at FIRST and belong to a node whose cells end at END. Sets *FOUND
 * to the first of them that is wanted and not empty, or to MP_NO_ID. */
static uint32_t
end_of_site(const struct mp_sites *sites, uint32_t first, uint32_t end, uint32_t *found)
{
    const struct mp_tree *tree = sites->tree;
    const struct mp_cell *cells = tree->profile->cells;
    const uint32_t sort = sort_of(sites, &cells[tree->cells[first]]);
    uint32_t i = first;

    *found = MP_NO_ID;
    for (; i < end && sort_of(sites, &cells[tree->cells[i]]) == sort; i++)
        if (*found == MP_NO_ID && is_wanted(sites, &cells[tree->cells[i]]) && !is_empty(&cells[tree->cells[i]]))
            *found = tree->cells[i];
    return i;
}

/* Adds the wanted ones of the cells FIRST to END - 1 to SITE. */
static void
add_cells(const struct mp_sites *sites, struct mp_site *site, uint32_t first, uint32_t end)
{
    const struct mp_tree *tree = sites->tree;
    struct mp_counts sum = {0};

    for (uint32_t i = first; i < end; i++) {
        const struct mp_cell *cell = &tree->profile->cells[tree->cells[i]];

        if (!is_wanted(sites, cell))
            continue;
        mp_counts_add_cell(end - first > 1 ? &sum : &site->counts, cell);
        if (sites->lifetimes)
            mp_lifetimes_add(&site->lifetimes, mp_cell_lifetimes(cell), tree->arena);
    }
    if (end - first > 1)
        mp_counts_add(&site->counts, &sum);
}

void
mp_sites_collect(struct mp_sites *sites)
{
    const struct mp_tree *tree = sites->tree;
    struct mp_map ids = {.arena = tree->arena};

    for (uint32_t node = 0, i = 0; i < tree->n_cells; node++)
        while (i < tree->nodes[node + 1].first_cell) {
            struct mp_site site = {.node = node};
            const uint32_t end = end_of_site(sites, i, tree->nodes[node + 1].first_cell, &site.cell);

            if (site.cell != MP_NO_ID)
                add_cells(sites, site_like(sites, &ids, &site), i, end);
            i = end;
        }
}

void
mp_sites_free(struct mp_sites *sites)
{
    free(sites->list);
}

size_t
mp_sites_choose(struct mp_sites *sites, bool (*keep)(const struct mp_site *site, const void *data),
                const void *data, struct mp_arena *arena)
{
    size_t chosen = 0;

    for (size_t i = 0; i < sites->n; i++) {
        struct mp_site site = sites->list[i];

        if (!keep(&site, data))
            continue;
        site.chain = mp_chain_text(sites->tree, &sites->chain, site.node, arena);
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
