#include "sites.h"

#include <stdlib.h>

static bool
is_free(const struct mp_site *site)
{
    return site->counts.allocs == 0 && site->counts.frees == 0 && site->counts.bytes == 0;
}

/* Do neighbours among the sorted cells belong together, whatever their chain? */
static bool
same_sum(const struct mp_sites *sites, const struct mp_cell *a, const struct mp_cell *b)
{
    return a->context == b->context && (!sites->by_kind || a->kind == b->kind);
}

static size_t
count_sums(const struct mp_sites *sites)
{
    const struct mp_cell *cells = sites->profile->cells;
    size_t n = 0;

    for (uint32_t i = 0; i < sites->profile->n_cells; i++)
        n += i == 0 || !same_sum(sites, &cells[i - 1], &cells[i]);
    return n;
}

static uint64_t
hash_of(const struct mp_sites *sites, const struct mp_site *site)
{
    uint64_t hash = sites->chains
                        ? (sites->chains[site->context] + (uint64_t)1) * 0x9e3779b97f4a7c15u
                        : mp_chain_hash(sites->profile, &sites->chain, site->context);

    return hash ^ (hash >> 32) ^ site->kind * (uint64_t)0x94d049bb133111ebu;
}

static bool
is_same(const struct mp_sites *sites, const struct mp_site *a, const struct mp_site *b)
{
    return a->hash == b->hash && a->kind == b->kind &&
           (sites->chains
                ? sites->chains[a->context] == sites->chains[b->context]
                : mp_chain_equal(sites->profile, &sites->chain, a->context, b->context));
}

/* Open addressing, at most half full. */
static void
add(struct mp_sites *sites, const struct mp_site *sum)
{
    size_t mask = sites->n_slots - 1, i = sum->hash & mask;

    while (!is_free(&sites->list[i]) && !is_same(sites, &sites->list[i], sum))
        i = (i + 1) & mask;
    if (is_free(&sites->list[i]))
        sites->list[i] = *sum;
    else
        mp_counts_add(&sites->list[i].counts, &sum->counts);
}

static void
pack(struct mp_sites *sites)
{
    for (size_t i = 0; i < sites->n_slots; i++)
        if (!is_free(&sites->list[i]))
            sites->list[sites->n++] = sites->list[i];
}

/* Sum the cells that belong together, and the sums of each chain. */
bool
mp_sites_collect(struct mp_sites *sites, enum mp_objects which)
{
    const struct mp_profile *profile = sites->profile;
    const struct mp_cell *cells = profile->cells;
    size_t sums = count_sums(sites);

    sites->n_slots = 16;
    while (sites->n_slots < sums * 2)
        sites->n_slots *= 2;
    sites->list = calloc(sites->n_slots, sizeof *sites->list);
    if (!sites->list)
        return false;
    if (sites->chain.limit == 0) {
        sites->arena = mp_arena_new();
        sites->chains = mp_chain_numbers(profile, &sites->chain, sites->arena);
    }
    for (uint32_t i = 0, first = 0; i < profile->n_cells; first = i) {
        struct mp_site sum = {.context = cells[i].context,
                              .kind = sites->by_kind ? cells[i].kind : 0};

        for (; i < profile->n_cells && same_sum(sites, &cells[first], &cells[i]); i++)
            if (which == MP_OBJECTS_ALL || mp_is_lisp(&cells[i]) == (which == MP_OBJECTS_LISP))
                mp_counts_add(&sum.counts, &cells[i].counts);
        if (is_free(&sum))
            continue;
        sum.hash = hash_of(sites, &sum);
        add(sites, &sum);
    }
    pack(sites);
    return true;
}

void
mp_sites_free(struct mp_sites *sites)
{
    for (size_t i = 0; i < sites->n; i++)
        free(sites->list[i].path);
    free(sites->list);
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
