/* SPDX-License-Identifier: MIT */
#include "tables.h"

#include <stdlib.h>

#include "reporter/base/search.h"

enum {
    BYTES, PERCENT, OBJECTS, KEPT_BYTES, KEPT, SORTED, TYPE = SORTED + MP_SORTED_COLUMNS, CHAIN,
    N_COLUMNS
};

static const struct mp_table_column columns[N_COLUMNS] = {
    [BYTES] = {"bytes", "bytes", MP_UNIT_BYTES, "Bytes of this type that the chain allocated.", MP_OF(BYTES)},
    [PERCENT] = MP_COLUMN_BYTES_SHARE,
    [OBJECTS] = {"objects", "objects", MP_UNIT_BLOCKS,
                 "Blocks or objects of this type that the chain allocated.", MP_OF(ALLOCS)},
    [KEPT_BYTES] = MP_COLUMN_KEPT_BYTES(MP_LAYOUT_AFTER),
    [KEPT] = {"kept", "kept", MP_UNIT_BLOCKS, "Blocks or objects with these bytes.",
              MP_LAYOUT_AFTER, MP_OF(KEPT_BLOCKS)},
    MP_SORTED_COLUMNS_AT(SORTED),
    [TYPE] = MP_COLUMN_TYPE,
    [CHAIN] = {"chain", "function < its callers", MP_UNIT_CHAIN,
               "The function that allocated, its caller, and so on outwards."},
};

static const struct mp_table_said said[] = {
    {BYTES, "%s byte", "%s bytes"},
    {OBJECTS, "%s object", "%s objects"},
    MP_SORTED_SAID_AT(SORTED),
};

const struct mp_table_kind mp_table_sites_kind = {
    .key = "sites", .title = "TABLE 6: ALLOCATION SITES", .one = "site", .many = "sites",
    .explanation = "Types of objects and the chains of callers on which they were allocated.",
    .columns = columns, .n_columns = N_COLUMNS,
    .said = said, .n_said = sizeof said / sizeof *said,
};

struct listed {
    struct mp_sites sites;
    const struct mp_print_options *options;
    struct mp_counts total;
};

static int
compare_sites(const void *a, const void *b, void *data)
{
    const struct listed *t = data;
    const struct mp_site *x = a, *y = b;
    uint64_t left = mp_print_key(t->options, &x->counts);
    uint64_t right = mp_print_key(t->options, &y->counts);

    if (left != right)
        return mp_order(right, left);
    return mp_order(x->cell, y->cell);
}

static size_t
count_shown(const struct listed *t)
{
    uint64_t whole = mp_print_key(t->options, &t->total);
    size_t n = 0;

    while (n < t->sites.n && mp_print_room(t->options, n) &&
           mp_print_shows(t->options, mp_print_key(t->options, &t->sites.list[n].counts), whole))
        n++;
    return n;
}

static void
add_site(const struct listed *t, struct mp_table *table, const struct mp_site *site)
{
    const struct mp_profile *profile = t->sites.tree->profile;
    const struct mp_object_kind *kind = mp_profile_kind(profile, profile->cells[site->cell].kind);
    struct mp_value *values = mp_table_add_item(table);

    mp_table_fill(table, values, &site->counts, &t->total);
    values[TYPE] = mp_value_text(kind ? kind->name : "malloc");
    values[CHAIN] = mp_table_site(table, &t->sites, site);
}

static void
add_sites(struct listed *t, struct mp_table *table)
{
    struct mp_counts rest;
    struct mp_value *values;
    size_t shown;

    qsort_r(t->sites.list, t->sites.n, sizeof *t->sites.list, compare_sites, t);
    shown = count_shown(t);
    for (size_t i = 0; i < shown; i++)
        add_site(t, table, &t->sites.list[i]);
    values = mp_table_add_total(table);
    mp_table_fill(table, values, &t->total, &t->total);
    values[TYPE] = mp_value_none("<TOTAL>");
    rest = mp_sites_rest(&t->sites, shown);
    mp_table_fill(table, mp_table_leave_out(table, t->sites.n - shown), &rest, &t->total);
    table->full = !mp_print_room(t->options, shown);
}

struct mp_table *
mp_table_sites(const struct mp_table_request *request)
{
    const struct mp_print_options *options = request->options;
    struct mp_table *table = mp_table_begin(&mp_table_sites_kind, options);
    struct listed t = {
        .options = options,
        .sites = {
            .tree = mp_table_tree(request),
            .chain = {.limit = options->callers, .inside_out = true},
            .by_kind = true,
            .objects = request->lisp ? MP_OBJECTS_LISP : MP_OBJECTS_ALL,
        },
    };

    mp_sites_collect(&t.sites);
    t.total = mp_sites_rest(&t.sites, 0);
    if (t.sites.n > 0)
        add_sites(&t, table);
    else
        table->nothing = mp_table_nothing(request);
    mp_table_tree_free(request, t.sites.tree);
    mp_sites_free(&t.sites);
    return table;
}
