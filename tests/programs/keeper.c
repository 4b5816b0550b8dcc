/*
 * keeper.c -- a program in which it is known who keeps which blocks: a cache with a table, a list in a variable, and
 * blocks to which both lead.
 */
#include "program.h"

enum { SLOTS = 16, ENTRY = 100, VALUE = 1000, SHARED = 5000, LINK = 48, LINKS = 10 };

struct cache { void **table; void *shared; };
struct link { struct link *next; void *shared; };

void *volatile the_cache, *volatile the_list;

static FRAME void *
make_value(void)
{
    void *value = calloc(1, VALUE);

    KEEP(value);
    return value;
}

static FRAME void
fill_cache(struct cache *cache)
{
    cache->table = calloc(SLOTS, sizeof *cache->table);
    for (int i = 0; i < SLOTS; i++) {
        void **entry = calloc(1, ENTRY);

        entry[1] = make_value();
        cache->table[i] = entry;
    }
}

static FRAME struct link *
make_list(void *shared)
{
    struct link *list = NULL;

    for (int i = 0; i < LINKS; i++) {
        struct link *first = calloc(1, LINK);

        first->next = list;
        first->shared = i == 0 ? shared : NULL;
        list = first;
    }
    return list;
}

static FRAME void
keep(void)
{
    struct cache *cache = calloc(1, sizeof *cache);

    cache->shared = calloc(1, SHARED);
    fill_cache(cache);
    the_list = make_list(cache->shared);
    the_cache = cache;
}

int
main(void)
{
    keep();
    sweep();
    return 0;
}
/* SPDX-License-Identifier: MIT */
