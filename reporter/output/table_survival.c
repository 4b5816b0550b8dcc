#include "tables.h"

#include <stdlib.h>
#include <string.h>

#include "head.h"
#include "reporter/graph/sites.h"
#include "sorted.h"

/* Classes of objects by the number of collections survived. */
enum { NEVER, ONCE, TWICE, OFTEN, NEW, N_AGES };

enum {
    OBJECTS, BYTES, AGES, SURVIVED = AGES + 2 * N_AGES, KEPT, SORTED,
    NAME = SORTED + MP_SORTED_COLUMNS, PATH, N_COLUMNS
};

/* Two columns: number and share of objects. */
#define AGE(n, key, title, layout, what)                                                          \
    [AGES + 2 * (n)] = {key, title, MP_UNIT_BLOCKS, "Objects that " what ".", layout},            \
    [AGES + 2 * (n) + 1] = {key "_share", "(%)", MP_UNIT_PERCENT,                                 \
                            "Share of the site's objects that " what ".", layout}

static const struct mp_table_column columns[N_COLUMNS] = {
    [OBJECTS] = {"objects", "objects", MP_UNIT_BLOCKS, "Objects that the site allocated."},
    [BYTES] = {"bytes", "bytes", MP_UNIT_BYTES,
               "Bytes of these objects and of what belongs to them."},
    AGE(NEVER, "survived_0", "0", 0, "the first collection found dead"),
    AGE(ONCE, "survived_1", "1", 0, "survived one collection"),
    AGE(TWICE, "survived_2", "2-3", 0, "survived two or three collections"),
    AGE(OFTEN, "survived_4", "4+", 0, "survived four collections or more"),
    AGE(NEW, "new", "new", MP_LAYOUT_OPTIONAL, "no collection has examined yet"),
    [SURVIVED] = {"survived_bytes", "bytes survived", MP_UNIT_BYTES,
                  "Bytes of the objects that survived at least one collection."},
    [KEPT] = {"kept_bytes", "kept", MP_UNIT_BYTES, "Bytes of those that are still there."},
    MP_SORTED_COLUMNS_AT(SORTED),
    [NAME] = {"function", "name", MP_UNIT_TEXT, "The function that allocated.",
              MP_LAYOUT_OPTIONAL},
    [PATH] = {"chain", "path", MP_UNIT_CHAIN, "Callers, and the function that allocated.",
              MP_LAYOUT_OPTIONAL},
};

static const struct mp_table_said said[] = {
    {OBJECTS, "%s object", "%s objects"},
    {BYTES, "%s byte", "%s bytes"},
    {SURVIVED, "of which %s survived", "of which %s survived"},
    MP_SORTED_SAID_AT(SORTED),
};

const struct mp_table_kind mp_table_survival_kind = {
    .key = "gc", .title = "TABLE 5: SURVIVAL", .one = "site", .many = "sites",
    .explanation = "How many collections the objects of each site survived.",
    .columns = columns, .n_columns = N_COLUMNS,
    .said = said, .n_said = sizeof said / sizeof *said,
};

struct survival {
    struct mp_sites sites;
    const struct mp_print_options *options;
    struct mp_counts total;
    bool with_new;              /* some objects have not been examined by a collection yet */
};

static void
split_by_age(const struct mp_counts *counts, uint64_t parts[static N_AGES])
{
    parts[NEVER] = counts->frees - counts->aged_frees;
    parts[ONCE] = counts->survived[0] - counts->survived[1];
    parts[TWICE] = counts->survived[1] - counts->survived[2];
    parts[OFTEN] = counts->survived[2];
    parts[NEW] = mp_counts_new(counts);
}

/* Returns true if the site's bytes, or its surviving bytes, reach the threshold. So garbage is shown, too. */
static bool
is_shown(const struct mp_site *site, const void *data)
{
    const struct survival *t = data;
    const struct mp_counts *counts = &site->counts;

    return mp_print_shows(t->options, counts->bytes, t->total.bytes) ||
           (counts->aged > 0 && mp_print_shows(t->options, counts->aged, t->total.aged));
}

/* Returns the figure that rows are sorted by: by default, the bytes that survived a collection. */
static uint64_t
key_of(const struct survival *t, const struct mp_counts *counts)
{
    return t->options->sort == MP_SORT_BYTES ? counts->aged
                                             : mp_counts_key(counts, t->options->sort);
}

static int
compare_sites(const void *a, const void *b, void *table)
{
    const struct mp_site *left = a, *right = b;
    const struct mp_counts *x = &left->counts, *y = &right->counts;
    uint64_t key_x = key_of(table, x), key_y = key_of(table, y);

    if (key_x != key_y)
        return key_x < key_y ? 1 : -1;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return strcmp(left->chain, right->chain);
}

static void
fill(const struct survival *t, struct mp_value values[static N_COLUMNS],
     const struct mp_counts *counts)
{
    uint64_t parts[N_AGES];

    split_by_age(counts, parts);
    values[OBJECTS] = mp_value_number(counts->allocs);
    values[BYTES] = mp_value_number(counts->bytes);
    for (int age = 0; age < (t->with_new ? N_AGES : NEW); age++) {
        values[AGES + 2 * age] = mp_value_number(parts[age]);
        values[AGES + 2 * age + 1] = mp_value_share(parts[age], counts->allocs);
    }
    values[SURVIVED] = mp_value_number(counts->aged);
    values[KEPT] = mp_value_number(counts->kept);
    mp_sorted_fill(values + SORTED, t->options, counts, &t->total,
                   MP_SORTED_KEPT | MP_SORTED_CHAINS);
}

static void
add_sites(struct survival *t, struct mp_table *table)
{
    const int place = t->sites.chain.bare ? NAME : PATH;
    size_t shown = mp_sites_choose(&t->sites, is_shown, t, table->arena);
    struct mp_counts rest;
    struct mp_value *values;

    qsort_r(t->sites.list, shown, sizeof *t->sites.list, compare_sites, t);
    if (!mp_print_room(t->options, shown))
        shown = t->options->most;
    for (size_t i = 0; i < shown; i++) {
        const struct mp_site *site = &t->sites.list[i];

        values = mp_table_add_item(table);
        fill(t, values, &site->counts);
        values[place] =
            mp_value_chain(mp_site_context(&t->sites, site), site->chain, site->words,
                           mp_table_calls(table, t->sites.tree, &t->sites.chain, site->node));
    }
    values = mp_table_add_total(table);
    fill(t, values, &t->total);
    values[place] = mp_value_none("<TOTAL>");
    rest = mp_sites_rest(&t->sites, shown);
    fill(t, mp_table_leave_out(table, t->sites.n - shown), &rest);
    table->full = !mp_print_room(t->options, shown);
}

struct mp_table *
mp_table_survival(const struct mp_table_request *request)
{
    const struct mp_profile *profile = request->profile;
    const struct mp_print_options *options = request->options;
    struct mp_table *table = mp_table_begin(&mp_table_survival_kind, options);
    struct survival t = {
        .options = options,
        .sites = {
            .tree = mp_table_tree(request),
            .chain = {.limit = options->sites, .bare = options->sites == 1},
            .objects = MP_OBJECTS_LISP,
        },
    };

    table->collections = profile->meta.collections;
    mp_sites_collect(&t.sites);
    t.total = mp_sites_rest(&t.sites, 0);
    t.with_new = mp_counts_new(&t.total) > 0;
    if (t.sites.n > 0)
        add_sites(&t, table);
    else
        table->nothing = mp_head_no_objects(profile, table->arena);
    mp_table_tree_free(request, t.sites.tree);
    mp_sites_free(&t.sites);
    return table;
}
