/* SPDX-License-Identifier: MIT */
/* Tables 5 and 10: how long what each site allocated lived. */
#include "tables.h"

#include <stdlib.h>
#include <string.h>

#include "head.h"
#include "reporter/base/search.h"
#include "reporter/profile/lifetimes.h"

/* ---------------------------------------------------------------- columns of table 5 */

/* Classes of objects by the number of collections survived. */
enum { NEVER, ONCE, TWICE, OFTEN, NEW, N_AGES };

#define AGE_SHARE(key, title, what, layout)                                                       \
    {key "_share", title, MP_UNIT_PERCENT, "Share of the site's objects that " what ".", layout}
#define EACH_AGE(COLUMN, never_title)                                                             \
    COLUMN(NEVER, "survived_0", never_title, "the first collection found dead", 0)                \
    COLUMN(ONCE, "survived_1", "1", "survived one collection", 0)                                 \
    COLUMN(TWICE, "survived_2", "2-3", "survived two or three collections", 0)                    \
    COLUMN(OFTEN, "survived_4", "4+", "survived four collections or more", 0)                     \
    COLUMN(NEW, "new", "new", "no collection has examined yet", MP_LAYOUT_OPTIONAL)

enum {
    GC_OBJECTS, GC_BYTES, GC_AGES, GC_SURVIVED = GC_AGES + 2 * N_AGES, GC_KEPT, GC_SORTED,
    GC_NAME = GC_SORTED + MP_SORTED_COLUMNS, GC_PATH, GC_COLUMNS
};

/* Each class has two columns: number and share of objects. */
#define GC_AGE(n, key, title, what, layout)                                                       \
    [GC_AGES + 2 * (n)] = {key, title, MP_UNIT_BLOCKS, "Objects that " what ".", layout},         \
    [GC_AGES + 2 * (n) + 1] = AGE_SHARE(key, "(%)", what, layout),

static const struct mp_table_column gc_columns[GC_COLUMNS] = {
    [GC_OBJECTS] = {"objects", "objects", MP_UNIT_BLOCKS, "Objects that the site allocated.", MP_OF(ALLOCS)},
    [GC_BYTES] = MP_COLUMN_OBJECT_BYTES,
    EACH_AGE(GC_AGE, "0")
    [GC_SURVIVED] = {"survived_bytes", "bytes survived", MP_UNIT_BYTES,
                     "Bytes of the objects that survived at least one collection."},
    [GC_KEPT] = {"kept_bytes", "kept", MP_UNIT_BYTES, "Bytes of those that are still there.", MP_OF(KEPT)},
    MP_SORTED_COLUMNS_AT(GC_SORTED),
    [GC_NAME] = MP_COLUMN_NAME(MP_LAYOUT_OPTIONAL),
    [GC_PATH] = MP_COLUMN_PATH(MP_LAYOUT_OPTIONAL),
};

static const struct mp_table_said gc_said[] = {
    {GC_OBJECTS, "%s object", "%s objects"},
    {GC_BYTES, "%s byte", "%s bytes"},
    {GC_SURVIVED, "of which %s survived", "of which %s survived"},
    MP_SORTED_SAID_AT(GC_SORTED),
};

const struct mp_table_kind mp_table_survival_kind = {
    .key = "gc", .title = "TABLE 5: SURVIVAL", .one = "site", .many = "sites",
    .explanation = "How many collections the objects of each site survived.",
    .columns = gc_columns, .n_columns = GC_COLUMNS,
    .said = gc_said, .n_said = sizeof gc_said / sizeof *gc_said,
};

/* ---------------------------------------------------------------- columns of table 10 */

enum {
    ALLOCS, BYTES, YOUNG, YOUNG_SHARE, YOUNG_BLOCKS, BUCKETS, BLOCKS = BUCKETS + MP_LIFETIMES,
    AGES = BLOCKS + MP_LIFETIMES, UNKNOWN = AGES + N_AGES, KEPT, SORTED,
    NAME = SORTED + MP_SORTED_COLUMNS, PATH, N_COLUMNS
};

/* Each bucket of lifetimes has two columns. */
#define SHARE(n, key, title, what)                                                                \
    [BUCKETS + (n)] = {"lived_" key, title, MP_UNIT_PERCENT,                                      \
                       "Share of the site's bytes: of blocks that were freed when " what          \
                       " bytes had been allocated meanwhile.", MP_LAYOUT_OPTIONAL},
#define NUMBER(n, key, title, what)                                                               \
    [BLOCKS + (n)] = {"lived_" key "_blocks", title, MP_UNIT_BLOCKS, "How many these are.", MP_LAYOUT_HIDDEN},
#define EACH_BUCKET(COLUMN)                                                                       \
    COLUMN(0, "32", "<32", "less than 32")                                                        \
    COLUMN(1, "128", "<128", "32 to 127")                                                         \
    COLUMN(2, "512", "<512", "128 to 511")                                                        \
    COLUMN(3, "2k", "<2K", "512 to 2 Ki")                                                         \
    COLUMN(4, "8k", "<8K", "2 Ki to 8 Ki")                                                        \
    COLUMN(5, "32k", "<32K", "8 Ki to 32 Ki")                                                     \
    COLUMN(6, "128k", "<128K", "32 Ki to 128 Ki")                                                 \
    COLUMN(7, "512k", "<512K", "128 Ki to 512 Ki")                                                \
    COLUMN(8, "2m", "<2M", "512 Ki to 2 Mi")                                                      \
    COLUMN(9, "8m", "<8M", "2 Mi to 8 Mi")                                                        \
    COLUMN(10, "32m", "<32M", "8 Mi to 32 Mi")                                                    \
    COLUMN(11, "128m", "<128M", "32 Mi to 128 Mi")                                                \
    COLUMN(12, "512m", "<512M", "128 Mi to 512 Mi")                                               \
    COLUMN(13, "2g", "<2G", "512 Mi to 2 Gi")                                                     \
    COLUMN(14, "longer", "longer", "2 Gi or more")
#define AGE(n, key, title, what, layout) [AGES + (n)] = AGE_SHARE(key, title, what, MP_LAYOUT_OPTIONAL),

static const struct mp_table_column lifetimes_columns[N_COLUMNS] = {
    [ALLOCS] = {"allocs", "blocks", MP_UNIT_BLOCKS, "Blocks or objects that the site allocated.", MP_OF(ALLOCS)},
    [BYTES] = {"bytes", "bytes", MP_UNIT_BYTES, "Bytes of these.", MP_OF(BYTES)},
    [YOUNG] = {"short_bytes", "short-lived", MP_UNIT_BYTES,
               "Bytes of blocks that were freed before another 32 KiB were allocated, or of objects that the "
               "first collection found dead."},
    [YOUNG_SHARE] = {"short_share", "(%)", MP_UNIT_PERCENT, "Their share of the site's bytes.", MP_LAYOUT_TENTHS},
    [YOUNG_BLOCKS] = {"short_blocks", "short-lived blocks", MP_UNIT_BLOCKS, "How many these are.",
                      MP_LAYOUT_HIDDEN},
    EACH_BUCKET(SHARE)
    EACH_BUCKET(NUMBER)
    EACH_AGE(AGE, "0 gc")
    [UNKNOWN] = {"unknown", "unknown", MP_UNIT_BLOCKS, "Blocks that were freed, and have no known lifetime.",
                 MP_LAYOUT_OPTIONAL},
    [KEPT] = {"kept_bytes", "kept", MP_UNIT_BYTES, "Bytes of those that were never freed.", MP_OF(KEPT)},
    MP_SORTED_COLUMNS_AT(SORTED),
    [NAME] = MP_COLUMN_NAME(MP_LAYOUT_OPTIONAL),
    [PATH] = MP_COLUMN_PATH(MP_LAYOUT_OPTIONAL),
};

_Static_assert(MP_LIFETIME_BITS(0) == 5 && MP_LIFETIME_BITS(MP_LIFETIMES_SHORT - 1) == 15 && MP_LIFETIMES == 15,
               "what columns are called");

static const struct mp_table_said said[] = {
    {ALLOCS, "%s block", "%s blocks"},
    {BYTES, "%s byte", "%s bytes"},
    {YOUNG, "of which %s short-lived", "of which %s short-lived"},
    MP_SORTED_SAID_AT(SORTED),
};

const struct mp_table_kind mp_table_lifetimes_kind = {
    .key = "lifetimes", .title = "TABLE 10: LIFETIMES", .one = "site", .many = "sites",
    .explanation = "How long what each site allocated lived: blocks in bytes allocated meanwhile, objects in "
                   "collections.",
    .columns = lifetimes_columns, .n_columns = N_COLUMNS,
    .said = said, .n_said = sizeof said / sizeof *said,
};

/* ---------------------------------------------------------------- sums */

/* Sums of one site or of several. */
struct sums {
    struct mp_counts counts;
    struct mp_lifetimes lifetimes;      /* of C's blocks */
    struct mp_lived young;      /* what lived a short time */
    uint64_t ages[N_AGES], objects;     /* numbers of Lisp objects, by age and in all */
    uint64_t unknown;           /* blocks freed with unknown lifetime */
};

/* A table that is being computed. */
struct lifetimes {
    bool survival;              /* table 5, whose sites allocated only objects of Lisp; else table 10 */
    struct mp_sites sites;
    const struct mp_print_options *options;
    struct sums total;
};

static bool
is_lisp(const struct lifetimes *t, const struct mp_site *site)
{
    return mp_is_lisp(&t->sites.tree->profile->cells[site->cell]);
}

/* Returns what lived a short time: objects that the first collection found dead, or blocks. */
static struct mp_lived
young_of(const struct lifetimes *t, const struct mp_site *site)
{
    const struct mp_counts *c = &site->counts;

    return is_lisp(t, site) ? (struct mp_lived){c->frees - c->aged_frees, c->freed - c->aged_freed}
                            : mp_lifetimes_short(site->lifetimes);
}

static void
add_object_ages(struct sums *to, const struct mp_counts *counts)
{
    to->objects += counts->allocs;
    to->ages[NEVER] += counts->frees - counts->aged_frees;
    to->ages[ONCE] += counts->survived[0] - counts->survived[1];
    to->ages[TWICE] += counts->survived[1] - counts->survived[2];
    to->ages[OFTEN] += counts->survived[2];
    to->ages[NEW] += mp_counts_new(counts);
}

static void
add_site(const struct lifetimes *t, struct sums *to, const struct mp_site *site)
{
    const struct mp_lived young = young_of(t, site);
    struct mp_lifetimes *lifetimes = &to->lifetimes;

    mp_counts_add(&to->counts, &site->counts);
    to->young.blocks = mp_plus(to->young.blocks, young.blocks);
    to->young.bytes = mp_plus(to->young.bytes, young.bytes);
    if (is_lisp(t, site)) {
        add_object_ages(to, &site->counts);
    } else {
        mp_lifetimes_add(&lifetimes, site->lifetimes, NULL);
        to->unknown = mp_plus(to->unknown, site->counts.frees - mp_lifetimes_all(site->lifetimes).blocks);
    }
}

static struct sums
sum_from(const struct lifetimes *t, size_t from)
{
    struct sums sum = {0};

    for (size_t i = from; i < t->sites.n; i++)
        add_site(t, &sum, &t->sites.list[i]);
    return sum;
}

/* ---------------------------------------------------------------- rows */

/* Returns the bytes that the table is about: those that survived a collection, or those that lived a short time. */
static uint64_t
subject_of(const struct lifetimes *t, const struct mp_site *site)
{
    return t->survival ? site->counts.aged : young_of(t, site).bytes;
}

/* Returns true if the site's bytes, or the bytes that the table is about, reach the threshold. So table 5 also shows
 * sites of garbage. */
static bool
is_shown(const struct mp_site *site, const void *data)
{
    const struct lifetimes *t = data;
    const uint64_t part = subject_of(t, site), whole = t->survival ? t->total.counts.aged : t->total.young.bytes;

    return mp_print_shows(t->options, site->counts.bytes, t->total.counts.bytes) ||
           (part > 0 && mp_print_shows(t->options, part, whole));
}

/* Returns the figure that rows are sorted by: by default, the bytes that the table is about. */
static uint64_t
key_of(const struct lifetimes *t, const struct mp_site *site)
{
    return t->options->sort == MP_SORT_BYTES ? subject_of(t, site)
                                             : mp_counts_key(&site->counts, t->options->sort);
}

static int
compare_sites(const void *a, const void *b, void *table)
{
    const struct mp_site *x = a, *y = b;
    uint64_t key_x = key_of(table, x), key_y = key_of(table, y);

    if (key_x != key_y)
        return mp_order(key_y, key_x);
    if (x->counts.bytes != y->counts.bytes)
        return mp_order(y->counts.bytes, x->counts.bytes);
    return strcmp(x->chain, y->chain);
}

static void
fill_survival(const struct lifetimes *t, struct mp_value values[static GC_COLUMNS], const struct sums *sums)
{
    const struct mp_counts *counts = &sums->counts;

    for (unsigned age = 0; age < (t->total.ages[NEW] > 0 ? N_AGES : NEW); age++) {
        values[GC_AGES + 2 * age] = mp_value_number(sums->ages[age]);
        values[GC_AGES + 2 * age + 1] = mp_value_share(sums->ages[age], counts->allocs);
    }
    values[GC_SURVIVED] = mp_value_number(counts->aged);
}

static void
fill_lifetimes(const struct lifetimes *t, struct mp_value values[static N_COLUMNS], const struct sums *sums)
{
    const struct mp_counts *counts = &sums->counts;
    const struct mp_lifetimes *lived = &sums->lifetimes;

    values[YOUNG] = mp_value_number(sums->young.bytes);
    values[YOUNG_SHARE] = mp_value_share(sums->young.bytes, counts->bytes);
    values[YOUNG_BLOCKS] = mp_value_number(sums->young.blocks);
    for (unsigned i = 0; i < MP_LIFETIMES; i++)
        if (t->total.lifetimes.blocks[i] > 0 && lived->blocks[i] > 0) {
            values[BUCKETS + i] = mp_value_share(lived->bytes[i], counts->bytes);
            values[BLOCKS + i] = mp_value_number(lived->blocks[i]);
        }
    for (unsigned age = 0; age < N_AGES && sums->objects > 0; age++)
        if (t->total.ages[age] > 0)
            values[AGES + age] = mp_value_share(sums->ages[age], sums->objects);
    if (sums->unknown > 0)
        values[UNKNOWN] = mp_value_number(sums->unknown);
}

static void
fill(const struct mp_table *table, const struct lifetimes *t, struct mp_value *values, const struct sums *sums)
{
    mp_table_fill(table, values, &sums->counts, &t->total.counts);
    (t->survival ? fill_survival : fill_lifetimes)(t, values, sums);
}

static void
add_sites(struct lifetimes *t, struct mp_table *table)
{
    const int place = t->sites.chain.bare ? (t->survival ? GC_NAME : NAME) : (t->survival ? GC_PATH : PATH);
    size_t shown = mp_sites_choose(&t->sites, is_shown, t, table->arena);
    struct mp_value *values;
    struct sums sums;

    qsort_r(t->sites.list, shown, sizeof *t->sites.list, compare_sites, t);
    if (!mp_print_room(t->options, shown))
        shown = t->options->most;
    for (size_t i = 0; i < shown; i++) {
        const struct mp_site *site = &t->sites.list[i];

        sums = (struct sums){0};
        add_site(t, &sums, site);
        values = mp_table_add_item(table);
        fill(table, t, values, &sums);
        values[place] = mp_table_site(table, &t->sites, site);
    }
    values = mp_table_add_total(table);
    fill(table, t, values, &t->total);
    values[place] = mp_value_none("<TOTAL>");
    sums = sum_from(t, shown);
    fill(table, t, mp_table_leave_out(table, t->sites.n - shown), &sums);
    table->full = !mp_print_room(t->options, shown);
}

/* ---------------------------------------------------------------- the tables */

/* Begins a table of KIND and collects the sites of OBJECTS. end() releases them. */
static struct mp_table *
begin(struct lifetimes *t, const struct mp_table_request *request, const struct mp_table_kind *kind,
      enum mp_objects objects)
{
    const struct mp_print_options *options = request->options;

    *t = (struct lifetimes){
        .survival = kind == &mp_table_survival_kind, .options = options,
        .sites = {
            .tree = mp_table_tree(request),
            .chain = {.limit = options->sites, .bare = options->sites == 1},
            .objects = objects, .apart = true, .lifetimes = true,
        },
    };
    mp_sites_collect(&t->sites);
    t->total = sum_from(t, 0);
    return mp_table_begin(kind, options);
}

static void
end(struct lifetimes *t, const struct mp_table_request *request)
{
    mp_table_tree_free(request, t->sites.tree);
    mp_sites_free(&t->sites);
}

struct mp_table *
mp_table_survival(const struct mp_table_request *request)
{
    struct lifetimes t;
    struct mp_table *table = begin(&t, request, &mp_table_survival_kind, MP_OBJECTS_LISP);

    table->collections = request->profile->meta.collections;
    if (t.sites.n > 0)
        add_sites(&t, table);
    else
        table->nothing = mp_head_no_objects(request->profile, table->arena);
    end(&t, request);
    return table;
}

#define NOT_RECORDED "How long blocks of malloc live was not recorded, as mprof run --lifetimes does."

struct mp_table *
mp_table_lifetimes(const struct mp_table_request *request)
{
    const struct mp_profile *profile = request->profile;
    const bool blocks = profile->lifetimes && !request->lisp;
    struct lifetimes t;
    struct mp_table *table = begin(&t, request, &mp_table_lifetimes_kind, blocks ? MP_OBJECTS_ALL : MP_OBJECTS_LISP);

    if (t.sites.n > 0) {
        add_sites(&t, table);
        if (!blocks && !request->lisp)
            table->note = NOT_RECORDED;
        if (t.total.objects > 0)
            table->collections = profile->meta.collections;
    } else {
        table->nothing = !profile->lifetimes ? NOT_RECORDED : mp_table_nothing(request);
    }
    end(&t, request);
    return table;
}
