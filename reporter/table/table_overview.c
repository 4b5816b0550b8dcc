/* The first screen: for each figure, a row with the site that has the largest part. */
#include "tables.h"

#include "reporter/view/sort.h"

enum { WHAT, BYTES, BLOCKS, PERCENT, PLACE, N_COLUMNS };

static const struct mp_table_column columns[N_COLUMNS] = {
    [WHAT] = {"what", "most", MP_UNIT_TEXT, "What the function has most of."},
    [BYTES] = {"bytes", "bytes", MP_UNIT_BYTES, "How many bytes; of temporaries, they are not known."},
    [BLOCKS] = {"blocks", "blocks", MP_UNIT_BLOCKS, "How many blocks or objects."},
    [PERCENT] = {"share", "(%)", MP_UNIT_PERCENT,
                 "Their share: of bytes, or of what is counted in blocks, of these."},
    [PLACE] = {"function", "function", MP_UNIT_CHAIN, "The function that allocates, and its line."},
};

const struct mp_table_kind mp_table_overview_kind = {
    .key = "overview", .title = "WHERE MOST OF IT IS", .one = "row", .many = "rows",
    .explanation = "The function that keeps most, holds most of the peak, allocates most often and "
                   "has most temporaries.",
    .columns = columns, .n_columns = N_COLUMNS,
};

/* Figures in the order of display. In a table of one point in time, only figures with of_moment are known. */
static const struct {
    enum mp_sort sort;
    const char *what;
    bool bytes;
    enum mp_figure of_bytes, of_blocks;
    bool of_moment;
} rows[] = {
    {MP_SORT_KEPT, "kept", true, MP_FIGURE_KEPT, MP_FIGURE_KEPT_BLOCKS, false},
    {MP_SORT_PEAK, "alive at the peak", true, MP_FIGURE_PEAK_BYTES, MP_FIGURE_PEAK_BLOCKS, true},
    {MP_SORT_OBJECTS, "allocations", true, MP_FIGURE_BYTES, MP_FIGURE_ALLOCS, false},
    {MP_SORT_TEMPORARY, "temporary", false, MP_FIGURE_BYTES, MP_FIGURE_TEMPORARY, false},
};

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

static void
add_row(struct mp_table *table, const struct mp_sites *sites, const struct mp_counts *whole,
        size_t i)
{
    const struct mp_profile *profile = sites->tree->profile;
    const struct mp_site *most = find_most(sites, rows[i].sort);
    uint64_t part = mp_counts_key(&most->counts, rows[i].sort);
    struct mp_value *values;

    if (part == 0 || mp_is_unknown(profile, mp_sorts[rows[i].sort].figure))
        return;
    values = mp_table_add_item(table);
    values[WHAT] = mp_value_text(rows[i].what);
    if (rows[i].bytes)
        values[BYTES] = mp_value_figure(&most->counts, rows[i].of_bytes);
    if (!mp_is_unknown(profile, rows[i].of_blocks))
        values[BLOCKS] = mp_value_figure(&most->counts, rows[i].of_blocks);
    values[PERCENT] = mp_value_share(part, mp_counts_key(whole, rows[i].sort));
    values[PLACE] = mp_table_site(table, sites, most);
}

static void
add_rows(struct mp_table *table, const struct mp_sites *sites, bool moment)
{
    const struct mp_counts whole = mp_sites_rest(sites, 0);

    for (size_t i = 0; i < sizeof rows / sizeof *rows && sites->n > 0; i++)
        if (rows[i].of_moment || !moment)
            add_row(table, sites, &whole, i);
}

struct mp_table *
mp_table_overview(const struct mp_table_request *request)
{
    struct mp_table *table = mp_table_begin(&mp_table_overview_kind, request->options);
    const struct mp_tree_options wanted = {
        .all_frames = request->all_frames, .lines = true, .one_cut = true};
    struct mp_sites sites = {
        .tree = mp_tree_build(request->profile, &wanted),
        .chain = {.limit = 1, .bare = true},
        .objects = request->lisp ? MP_OBJECTS_LISP : MP_OBJECTS_ALL,
    };

    mp_sites_collect(&sites);
    add_rows(table, &sites, request->options->moment);
    if (table->n_rows == 0)
        table->nothing = request->profile->meta.unknown != 0 ? "These figures are not known."
                                                             : mp_table_nothing(request);
    mp_sites_free(&sites);
    mp_tree_free(sites.tree);
    return table;
}
