/* SPDX-License-Identifier: MIT */
/* Table 2, which is Figure 2 of Zorn and Hilfinger's report. It has the fields of the manual page of their
 * mprof. */
#include "tables.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/base/search.h"

enum {
    ALLOCS, BYTES, KEPT, KEPT_BYTES, PERCENT, FREES, FREED, SORTED,
    PATH = SORTED + MP_SORTED_COLUMNS, N_COLUMNS
};

/* The columns about frees are hidden if nothing was freed. The form of 1988 has no columns for kept blocks; its
 * readers must subtract. */
#define LEAK_COLUMNS(kept_layout)                                                                 \
    [ALLOCS] = {"allocs", "allocs", MP_UNIT_BLOCKS, "Blocks that the chain allocated.", MP_OF(ALLOCS)}, \
    [BYTES] = {"bytes", "bytes", MP_UNIT_BYTES, "Bytes of these blocks together.", MP_OF(BYTES)}, \
    [KEPT] = {"kept", "kept", MP_UNIT_BLOCKS, "Blocks of these that were never freed.",           \
              (kept_layout) | MP_LAYOUT_AFTER, MP_OF(KEPT_BLOCKS)},                               \
    [KEPT_BYTES] = {"kept_bytes", "bytes kept", MP_UNIT_BYTES,                                    \
                    "Bytes of these that were never freed.", (kept_layout) | MP_LAYOUT_AFTER, MP_OF(KEPT)}, \
    [PERCENT] = {"kept_share", "(%)", MP_UNIT_PERCENT,                                            \
                 "Share of all bytes that were never freed.", MP_LAYOUT_KEPT_SHARE, MP_OF(KEPT)}, \
    [FREES] = {"frees", "frees", MP_UNIT_BLOCKS, "Blocks of these that were freed.",              \
               MP_LAYOUT_OPTIONAL | MP_LAYOUT_AFTER, MP_OF(FREES)},                               \
    [FREED] = {"freed_bytes", "bytes", MP_UNIT_BYTES, "Bytes of these that were freed.",          \
               MP_LAYOUT_OPTIONAL | MP_LAYOUT_AFTER, MP_OF(FREED)},                               \
    MP_SORTED_COLUMNS_AT(SORTED),                                                                 \
    [PATH] = MP_COLUMN_PATH(MP_LAYOUT_USUAL)

static const struct mp_table_column columns[N_COLUMNS] = {LEAK_COLUMNS(MP_LAYOUT_USUAL)};
static const struct mp_table_column columns_1988[N_COLUMNS] = {LEAK_COLUMNS(MP_LAYOUT_HIDDEN)};

static const struct mp_table_column lisp_columns[N_COLUMNS] = {
    [ALLOCS] = {"objects", "objects", MP_UNIT_BLOCKS, "Objects that the chain allocated.", MP_OF(ALLOCS)},
    [BYTES] = MP_COLUMN_OBJECT_BYTES,
    [KEPT] = MP_COLUMN_KEPT_OBJECTS,
    [KEPT_BYTES] = MP_COLUMN_KEPT_OBJECT_BYTES,
    [PERCENT] = MP_COLUMN_KEPT_OBJECT_SHARE(MP_LAYOUT_USUAL),
    [FREES] = {"collected", "collected", MP_UNIT_BLOCKS, "Objects that were collected.",
               MP_LAYOUT_HIDDEN, MP_OF(FREES)},
    [FREED] = {"collected_bytes", "bytes collected", MP_UNIT_BYTES,
               "Bytes of the collected objects.", MP_LAYOUT_HIDDEN, MP_OF(FREED)},
    MP_SORTED_COLUMNS_AT(SORTED),
    [PATH] = MP_COLUMN_PATH(MP_LAYOUT_USUAL),
};

static const struct mp_table_said said[] = {
    {ALLOCS, "%s allocation", "%s allocations"},
    {KEPT, "%s block kept", "%s blocks kept"},
    {KEPT_BYTES, "%s bytes kept", "%s bytes kept"},
    MP_SORTED_SAID_AT(SORTED),
};

static const struct mp_table_said lisp_said[] = {
    {ALLOCS, "%s object", "%s objects"},
    {KEPT, "%s object kept", "%s objects kept"},
    {KEPT_BYTES, "%s bytes kept", "%s bytes kept"},
    MP_SORTED_SAID_AT(SORTED),
};

static const struct mp_table_said alive_said[] = {
    {ALLOCS, "%s block", "%s blocks"},
    {BYTES, "%s byte", "%s bytes"},
};

#define LEAKS_KIND(of_columns)                                                                    \
    {                                                                                             \
        .key = "leaks", .title = "TABLE 2: MEMORY LEAKS", .one = "chain", .many = "chains",       \
        .explanation = "Chains of callers that allocated what was never freed.",                  \
        .columns = (of_columns), .n_columns = N_COLUMNS,                                          \
        .said = said, .n_said = sizeof said / sizeof *said,                                       \
    }

const struct mp_table_kind mp_table_leaks_kind = LEAKS_KIND(columns);
const struct mp_table_kind mp_table_leaks_1988_kind = LEAKS_KIND(columns_1988);

const struct mp_table_kind mp_table_kept_kind = {
    .key = "leaks", .title = "TABLE 2: KEPT OBJECTS", .one = "chain", .many = "chains",
    .explanation = "Chains of callers that allocated what survived a collection and still lives.",
    .columns = lisp_columns, .n_columns = N_COLUMNS,
    .said = lisp_said, .n_said = sizeof lisp_said / sizeof *lisp_said,
};

/* For one point in time: everything that was alive then counts as kept. */
const struct mp_table_kind mp_table_alive_kind = {
    .key = "leaks", .title = "TABLE 2: ALIVE AT THAT MOMENT", .one = "chain", .many = "chains",
    .explanation = "Chains of callers that had allocated what was alive at a moment.",
    .columns = columns, .n_columns = N_COLUMNS,
    .said = alive_said, .n_said = sizeof alive_said / sizeof *alive_said,
};

/* For what happened between two points in time. */
const struct mp_table_kind mp_table_growth_kind = {
    .key = "leaks", .title = "TABLE 2: GROWTH", .one = "chain", .many = "chains",
    .explanation = "Chains of callers whose blocks are more, or less, than before.",
    .columns = columns, .n_columns = N_COLUMNS,
    .said = said, .n_said = sizeof said / sizeof *said,
};

struct leaks {
    struct mp_sites sites;      /* chains that kept something */
    const struct mp_print_options *options;
    bool lisp, any;             /* any: some chain allocated something */
    struct mp_counts all;       /* sum of these chains */
};

/* Removes chains without kept blocks. */
static void
drop_freed(struct leaks *t)
{
    struct mp_sites *sites = &t->sites;
    size_t n = 0;

    for (size_t i = 0; i < sites->n; i++) {
        const struct mp_counts *counts = &sites->list[i].counts;

        t->any |= mp_counts_any(counts);
        if (counts->kept_blocks == 0 && counts->kept == 0)
            continue;
        mp_counts_add(&t->all, counts);
        sites->list[n++] = sites->list[i];
    }
    sites->n = n;
}

/* Returns the figure that rows are sorted by: kept bytes by default. */
static uint64_t
key_of(const struct leaks *t, const struct mp_counts *counts)
{
    return mp_counts_key(counts, mp_print_sorted(t->options) ? t->options->sort : MP_SORT_KEPT);
}

static bool
is_shown(const struct mp_site *site, const void *data)
{
    const struct leaks *t = data;
    unsigned threshold = mp_print_threshold(t->options);

    if (t->options->least > 0 || mp_print_sorted(t->options))
        return mp_print_shows(t->options, key_of(t, &site->counts), key_of(t, &t->all));
    return threshold == 0 || t->all.kept == 0 ||
           mp_more_than(key_of(t, &site->counts), key_of(t, &t->all), threshold);
}

/* Sorts by figure, largest first, then by chain, so that the order is deterministic. */
static int
compare_sites(const void *a, const void *b, void *data)
{
    const struct mp_site *left = a, *right = b;
    uint64_t x = key_of(data, &left->counts), y = key_of(data, &right->counts);

    if (x != y)
        return mp_order(y, x);
    return strcmp(left->chain, right->chain);
}

static const char *
nothing(const struct mp_table_request *request, const struct leaks *t)
{
    if (!t->any)
        return mp_table_nothing(request);
    if (t->options->moment)
        return "Nothing was alive.";
    if (mp_is_unknown(request->profile, MP_FIGURE_KEPT))
        return "What was never freed is not known.";
    if (t->options->growth)
        return "Nothing grew or shrank.";
    if (t->lisp)
        return "Nothing survived a collection and is still there.";
    return mp_is_estimated(&request->profile->meta) ? "Every block that was sampled was freed."
                                                    : "No leaks: every block was freed.";
}

static void
fill(const struct mp_table *table, const struct leaks *t, struct mp_value values[static N_COLUMNS],
     const struct mp_counts *counts)
{
    mp_table_fill(table, values, counts, &t->all);
    values[FREES].blank = values[FREED].blank = counts->frees == 0;
}

static void
add_chains(struct leaks *t, struct mp_table *table)
{
    size_t shown = mp_sites_choose(&t->sites, is_shown, t, table->arena);
    struct mp_counts rest;

    qsort_r(t->sites.list, shown, sizeof *t->sites.list, compare_sites, t);
    if (!mp_print_room(t->options, shown))
        shown = t->options->most;
    for (size_t i = 0; i < shown; i++) {
        const struct mp_site *site = &t->sites.list[i];
        struct mp_value *values = mp_table_add_item(table);

        fill(table, t, values, &site->counts);
        values[PATH] = mp_table_site(table, &t->sites, site);
    }
    rest = mp_sites_rest(&t->sites, shown);
    fill(table, t, mp_table_leave_out(table, t->sites.n - shown), &rest);
    table->full = !mp_print_room(t->options, shown);
}

static const struct mp_table_kind *
kind_of(const struct mp_table_request *request)
{
    return request->options->moment      ? &mp_table_alive_kind
           : request->options->growth    ? &mp_table_growth_kind
           : request->lisp               ? &mp_table_kept_kind
           : request->options->form_1988 ? &mp_table_leaks_1988_kind
                                         : &mp_table_leaks_kind;
}

struct mp_table *
mp_table_leaks(const struct mp_table_request *request)
{
    const struct mp_print_options *options = request->options;
    struct mp_table *table = mp_table_begin(kind_of(request), options);
    struct leaks t = {
        .options = options, .lisp = request->lisp,
        .sites = {
            .tree = mp_table_tree(request),
            .chain = {.limit = options->chain},
            .objects = request->lisp ? MP_OBJECTS_LISP : MP_OBJECTS_C,
        },
    };

    table->above = !mp_print_sorted(options);
    mp_sites_collect(&t.sites);
    drop_freed(&t);
    if (t.sites.n > 0)
        add_chains(&t, table);
    else
        table->nothing = nothing(request, &t);
    mp_table_tree_free(request, t.sites.tree);
    mp_sites_free(&t.sites);
    return table;
}
