/* SPDX-License-Identifier: MIT */
/* In the first screen: for each figure, a row with the site that has the largest part. */
#include "tables.h"

#include "reporter/view/sort.h"

enum { WHAT, BYTES, BYTES_SHARE, BLOCKS, BLOCKS_SHARE, PLACE, N_COLUMNS };

#define COLUMNS(things) {                                                                         \
    [WHAT] = {"what", "most", MP_UNIT_TEXT, "What the function has most of."},                    \
    [BYTES] = {"bytes", "bytes", MP_UNIT_BYTES, "How many bytes; of temporaries, they are not known."}, \
    [BYTES_SHARE] = {"bytes_share", "(%)", MP_UNIT_PERCENT, "Their share of all bytes of this sort."}, \
    [BLOCKS] = {"blocks", (things), MP_UNIT_BLOCKS, "How many blocks or objects."},               \
    [BLOCKS_SHARE] = {"blocks_share", "(%)", MP_UNIT_PERCENT, "Their share of all blocks of this sort."}, \
    [PLACE] = {"function", "function", MP_UNIT_CHAIN, "The function that allocates, and its line."},  \
}

static const struct mp_table_column columns[N_COLUMNS] = COLUMNS("blocks");
static const struct mp_table_column lisp_columns[N_COLUMNS] = COLUMNS("objects");

#define KIND(its_columns) {                                                                       \
    .key = "overview", .title = "WHERE MOST OF IT IS", .one = "row", .many = "rows",              \
    .explanation = "The function that has most of the peak, keeps most, allocates most bytes, allocates most often " \
                   "and has most temporaries. The unusual figure is first: what is allocated if it is many times the " \
                   "peak, or how often if the blocks are small and short-lived.",                 \
    .columns = (its_columns), .n_columns = N_COLUMNS,                                             \
}

const struct mp_table_kind mp_table_overview_kind = KIND(columns), mp_table_overview_lisp_kind = KIND(lisp_columns);

/* Figures in the usual order of display. In a table of one point in time, only figures with of_moment are known. */
enum { PEAK, KEPT, ALLOCATED, ALLOCATIONS, TEMPORARY, N_ROWS };
static const struct {
    enum mp_sort sort;
    const char *what;
    bool bytes;
    enum mp_figure of_bytes, of_blocks;
    bool of_moment;
} rows[N_ROWS] = {
    [PEAK] = {MP_SORT_PEAK, "alive at the peak", true, MP_FIGURE_PEAK_BYTES, MP_FIGURE_PEAK_BLOCKS, true},
    [KEPT] = {MP_SORT_KEPT, "kept", true, MP_FIGURE_KEPT, MP_FIGURE_KEPT_BLOCKS, false},
    [ALLOCATED] = {MP_SORT_BYTES, "allocated", true, MP_FIGURE_BYTES, MP_FIGURE_ALLOCS, false},
    [ALLOCATIONS] = {MP_SORT_OBJECTS, "allocations", true, MP_FIGURE_BYTES, MP_FIGURE_ALLOCS, false},
    [TEMPORARY] = {MP_SORT_TEMPORARY, "temporary", false, MP_FIGURE_BYTES, MP_FIGURE_TEMPORARY, false},
};

#define MANY  10u               /* what is allocated is unusual if it is so many times the peak */
#define SMALL 64u               /* mean size of blocks whose number is unusual then, bytes */

/* Returns the row whose figure is unusual in WHOLE, which is shown first. */
static unsigned
find_unusual(const struct mp_profile *profile, const struct mp_counts *whole)
{
    const uint64_t peak = mp_counts_key(whole, MP_SORT_PEAK), bytes = mp_counts_key(whole, MP_SORT_BYTES);

    if (mp_is_unknown(profile, MP_FIGURE_PEAK_BYTES) || bytes / MANY < peak)
        return PEAK;
    return bytes / SMALL < mp_counts_key(whole, MP_SORT_OBJECTS) ? ALLOCATIONS : ALLOCATED;
}

/* Returns the site with the largest figure; of equal ones, the first. */
static const struct mp_site *
find_most(const struct mp_sites *sites, enum mp_sort sort)
{
    const struct mp_site *most = &sites->list[0];

    for (size_t i = 1; i < sites->n; i++)
        if (mp_counts_key(&sites->list[i].counts, sort) > mp_counts_key(&most->counts, sort))
            most = &sites->list[i];
    return most;
}

/* Adds a figure of SITE in COLUMN, and its share of WHOLE in the next column. */
static void
add_figure(struct mp_value *values, unsigned column, const struct mp_counts *site, const struct mp_counts *whole,
           enum mp_figure figure)
{
    const struct mp_value all = mp_value_figure(whole, figure);

    values[column] = mp_value_figure(site, figure);
    values[column + 1] = mp_value_share(values[column].number, all.number);
}

static void
add_row(struct mp_table *table, const struct mp_sites *sites, const struct mp_counts *whole, unsigned i)
{
    const struct mp_profile *profile = sites->tree->profile;
    const struct mp_site *most = find_most(sites, rows[i].sort);
    struct mp_value *values;

    if (mp_counts_key(&most->counts, rows[i].sort) == 0 || mp_is_unknown(profile, mp_sorts[rows[i].sort].figure))
        return;
    values = mp_table_add_item(table);
    values[WHAT] = mp_value_text(rows[i].what);
    if (rows[i].bytes)
        add_figure(values, BYTES, &most->counts, whole, rows[i].of_bytes);
    if (!mp_is_unknown(profile, rows[i].of_blocks))
        add_figure(values, BLOCKS, &most->counts, whole, rows[i].of_blocks);
    values[PLACE] = mp_table_site(table, sites, most);
}

static void
add_rows(struct mp_table *table, const struct mp_sites *sites, bool moment)
{
    const struct mp_counts whole = mp_sites_rest(sites, 0);
    const unsigned first = moment ? PEAK : find_unusual(sites->tree->profile, &whole);
    const bool same = find_most(sites, MP_SORT_BYTES) == find_most(sites, MP_SORT_OBJECTS);

    add_row(table, sites, &whole, same && first == ALLOCATIONS ? ALLOCATED : first);
    for (unsigned i = 0; i < N_ROWS; i++)
        if (i != first && (rows[i].of_moment || !moment) &&
            !(same && (i == ALLOCATIONS || (i == ALLOCATED && first == ALLOCATIONS))))
            add_row(table, sites, &whole, i);
}

struct mp_table *
mp_table_overview(const struct mp_table_request *request)
{
    struct mp_totals totals;
    struct mp_table *table;
    const struct mp_tree_options wanted = {
        .all_frames = request->all_frames, .lines = true,
        .paths = request->options->paths && !request->options->calls, .one_cut = true};
    const bool suits = mp_tree_suits(request->tree, request->profile, &wanted);
    struct mp_sites sites = {
        .tree = suits ? request->tree : mp_tree_build(request->profile, &wanted),
        .chain = {.limit = 1, .bare = true},
        .objects = request->lisp ? MP_OBJECTS_LISP : MP_OBJECTS_ALL,
    };

    mp_profile_totals(request->profile, &totals);
    table = mp_table_begin(totals.lisp.allocs > totals.c.allocs ? &mp_table_overview_lisp_kind
                                                                : &mp_table_overview_kind, request->options);
    mp_sites_collect(&sites);
    if (sites.n > 0)
        add_rows(table, &sites, request->options->moment);
    if (table->n_rows == 0)
        table->nothing = request->profile->meta.unknown != 0 ? "These figures are not known."
                                                             : mp_table_nothing(request);
    mp_sites_free(&sites);
    mp_table_tree_free(request, sites.tree);
    return table;
}
