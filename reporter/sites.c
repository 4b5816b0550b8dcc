#include "sites.h"

#include <stdlib.h>

static bool
is_free(const struct mp_site *site)
{
    return site->counts.allocs == 0 && site->counts.frees == 0 && site->counts.bytes == 0;
}

static size_t
context_count(const struct mp_profile *profile)
{
    size_t n = 0;

    for (uint32_t i = 0; i < profile->n_cells; i++)
        n += i == 0 || profile->cells[i].context != profile->cells[i - 1].context;
    return n;
}

/* Open addressing, at most half full. */
static void
add(struct mp_sites *sites, const struct mp_site *sum)
{
    size_t mask = sites->n_slots - 1, i = sum->hash & mask;

    while (!is_free(&sites->list[i]) &&
           (sites->list[i].hash != sum->hash ||
            !mp_chain_equal(sites->profile, &sites->chain, sites->list[i].context, sum->context)))
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

/* Sum the cells of each context, and the contexts of each chain. */
bool
mp_sites_collect(struct mp_sites *sites, enum mp_objects which)
{
    const struct mp_profile *profile = sites->profile;
    size_t contexts = context_count(profile);

    sites->n_slots = 16;
    while (sites->n_slots < contexts * 2)
        sites->n_slots *= 2;
    sites->list = calloc(sites->n_slots, sizeof *sites->list);
    if (!sites->list)
        return false;
    for (uint32_t i = 0; i < profile->n_cells;) {
        struct mp_site sum = {.context = profile->cells[i].context};

        for (; i < profile->n_cells && profile->cells[i].context == sum.context; i++)
            if (which == MP_OBJECTS_ALL ||
                mp_is_lisp(&profile->cells[i]) == (which == MP_OBJECTS_LISP))
                mp_counts_add_cell(&sum.counts, &profile->cells[i]);
        if (is_free(&sum))
            continue;
        sum.hash = mp_chain_hash(profile, &sites->chain, sum.context);
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
