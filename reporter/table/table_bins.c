/* SPDX-License-Identifier: MIT */
/* Table 1, which is Figure 3 of Zorn and Hilfinger's report. It has the fields of the manual page of their
 * mprof. */
#include "tables.h"

#include <stdlib.h>

#include "reporter/base/search.h"
#include "reporter/graph/bins.h"

enum {
    SIZE, ALLOCS, BYTES, PERCENT, FREES, KEPT, KEPT_PERCENT, SORTED,
    TYPES = SORTED + MP_SORTED_COLUMNS, N_COLUMNS
};

static const struct mp_table_column columns[N_COLUMNS] = {
    [SIZE] = {"size", "size:", MP_UNIT_BYTES, "Bytes of a block as they were asked for."},
    [ALLOCS] = {"allocs", "allocs", MP_UNIT_BLOCKS, "Blocks of this size that were allocated.", MP_OF(ALLOCS)},
    [BYTES] = {"bytes", "bytes", MP_UNIT_BYTES, "Bytes of these blocks together.", MP_OF(BYTES)},
    [PERCENT] = MP_COLUMN_BYTES_SHARE,
    [FREES] = {"frees", "frees", MP_UNIT_BLOCKS, "Blocks of this size that were freed.",
               MP_LAYOUT_AFTER, MP_OF(FREES)},
    [KEPT] = {"kept_bytes", "kept", MP_UNIT_BYTES, "Bytes that were never freed.", MP_LAYOUT_AFTER, MP_OF(KEPT)},
    [KEPT_PERCENT] = {"kept_share", "(%)", MP_UNIT_PERCENT,
                      "Their share of all bytes that were never freed.",
                      MP_LAYOUT_AFTER | MP_LAYOUT_KEPT_SHARE, MP_OF(KEPT)},
    MP_SORTED_COLUMNS_AT(SORTED),
    [TYPES] = {"types", "types", MP_UNIT_NAMES, "The program's types that have this size."},
};

static const struct mp_table_said said[] = {
    {ALLOCS, "%s allocation", "%s allocations"},
    {BYTES, "%s bytes", "%s bytes"},
    {FREES, "%s free", "%s frees"},
    {KEPT, "%s bytes kept", "%s bytes kept"},
    MP_SORTED_SAID_AT(SORTED),
};

const struct mp_table_kind mp_table_bins_kind = {
    .key = "bins", .title = "TABLE 1: ALLOCATION BINS", .one = "bin", .many = "bins",
    .explanation = "Allocation by the size of the blocks.",
    .columns = columns, .n_columns = N_COLUMNS,
    .said = said, .n_said = sizeof said / sizeof *said, .plain_count = true,
};

struct row {
    unsigned bin;
    struct mp_counts counts;    /* see mp_bin_counts() */
};

struct bins {
    const struct mp_profile *profile;
    const struct mp_print_options *options;
    struct row rows[MP_CELL_BINS];      /* bins with allocations or frees */
    unsigned n;
    struct mp_counts all;
};

/* Returns the position of BIN in an order by size. Bins of several sizes follow their largest size. */
static unsigned
place_of(unsigned bin)
{
    static const unsigned most[] = {32, 256, MP_BIN_LARGE - 1, MP_BIN_LARGE};

    return bin < MP_BINS ? 2 * bin : 2 * most[bin - MP_BINS] + 1;
}

static int
compare_rows(const void *a, const void *b, void *data)
{
    const struct bins *t = data;
    const struct row *x = a, *y = b;
    uint64_t left = mp_print_key(t->options, &x->counts);
    uint64_t right = mp_print_key(t->options, &y->counts);

    if (mp_print_sorted(t->options) && left != right)
        return mp_order(right, left);
    return mp_order(place_of(x->bin), place_of(y->bin));
}

static void
list_rows(struct bins *t)
{
    for (unsigned bin = 0; bin < (t->profile->cell_bins ? MP_CELL_BINS : MP_BINS); bin++) {
        struct row row = {bin, mp_bin_counts(t->profile, bin)};

        if (row.counts.allocs == 0 && row.counts.frees == 0)
            continue;
        t->rows[t->n++] = row;
        mp_counts_add(&t->all, &row.counts);
    }
    qsort_r(t->rows, t->n, sizeof *t->rows, compare_rows, t);
}

/* Returns true if the share of ROW reaches the threshold, measured in all bytes or in kept bytes, or in the figure
 * that rows are sorted by. If all blocks have 0 bytes, every bin is shown. */
static bool
is_shown(const struct bins *t, const struct row *row)
{
    unsigned threshold = mp_print_threshold(t->options);

    if (t->options->least > 0 || mp_print_sorted(t->options))
        return mp_print_shows(t->options, mp_print_key(t->options, &row->counts),
                              mp_print_key(t->options, &t->all));
    return row->bin == MP_BIN_LARGE || threshold == 0 || t->all.bytes == 0 ||
           mp_at_least(row->counts.bytes, t->all.bytes, threshold) ||
           mp_at_least(row->counts.kept, t->all.kept, threshold);
}

/* Allocations are exact, unless the bins were summed from cells. */
static void
fill(const struct mp_table *table, const struct bins *t, struct mp_value values[static N_COLUMNS],
     const struct mp_counts *counts)
{
    mp_table_fill(table, values, counts, &t->all);
    if (!t->profile->cell_bins) {
        values[ALLOCS] = mp_value_number(counts->allocs);
        values[BYTES] = mp_value_number(counts->bytes);
    }
}

/* Fills a row that sums up others, which has no shares. */
static void
fill_sum(const struct mp_table *table, const struct bins *t, struct mp_value values[static N_COLUMNS],
         const struct mp_counts *counts)
{
    fill(table, t, values, counts);
    values[PERCENT] = values[KEPT_PERCENT] = (struct mp_value){0};
}

static void
add_row(const struct bins *t, struct mp_table *table, const struct row *row)
{
    struct mp_value *values = mp_table_add_item(table);
    const char *name = mp_bin_name(row->bin);
    const struct mp_bin *bin = &t->profile->bins[row->bin < MP_BINS ? row->bin : 0];

    fill(table, t, values, &row->counts);
    values[SIZE] = name ? mp_value_none(name) : mp_value_number(row->bin);
    if (row->bin < MP_BINS)
        values[TYPES] = mp_value_names(bin->n_types > 0 ? &t->profile->types[bin->first_type] : NULL, bin->n_types);
}

static void
add_rows(const struct bins *t, struct mp_table *table)
{
    struct mp_counts left = {0};
    unsigned n_left = 0;
    struct mp_value *values;
    bool large = mp_print_sorted(t->options) || t->profile->cell_bins;

    for (unsigned i = 0; i < t->n; i++) {
        if (!is_shown(t, &t->rows[i])) {
            mp_counts_add(&left, &t->rows[i].counts);
            n_left++;
            continue;
        }
        add_row(t, table, &t->rows[i]);
        large |= t->rows[i].bin == MP_BIN_LARGE;
    }
    if (!large)                 /* in 1988 this bin always had a row */
        add_row(t, table, &(struct row){.bin = MP_BIN_LARGE});
    values = mp_table_add_total(table);
    fill_sum(table, t, values, &t->all);
    values[SIZE] = mp_value_none("<TOTAL>");
    fill_sum(table, t, mp_table_leave_out(table, n_left), &left);
}

struct mp_table *
mp_table_bins(const struct mp_table_request *request)
{
    struct mp_table *table = mp_table_begin(&mp_table_bins_kind, request->options);
    struct bins *t = mp_arena_alloc(table->arena, sizeof *t);

    t->profile = request->profile;
    t->options = request->options;
    table->by_size = !t->profile->cell_bins;
    list_rows(t);
    if (t->n == 0)
        table->nothing = mp_table_lacks_blocks(table, t->profile) ? "The sizes of blocks are not known."
                                                                  : MP_PRINT_NOTHING;
    else
        add_rows(t, table);
    return table;
}
