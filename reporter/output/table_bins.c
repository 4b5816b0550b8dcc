/* The table of Figure 3 of Zorn and Hilfinger's report; fields as in its manual page, TABLE 1. */
#include "tables.h"

enum { SIZE, ALLOCS, BYTES, PERCENT, FREES, KEPT, KEPT_PERCENT, TYPES, N_COLUMNS };

static const struct mp_table_column columns[N_COLUMNS] = {
    [SIZE] = {"size", "size:", MP_UNIT_BYTES, "Bytes of a block as they were asked for."},
    [ALLOCS] = {"allocs", "allocs", MP_UNIT_BLOCKS, "Blocks of this size that were allocated."},
    [BYTES] = {"bytes", "bytes", MP_UNIT_BYTES, "Bytes of these blocks together."},
    [PERCENT] = {"bytes_share", "(%)", MP_UNIT_PERCENT, "Their share of all bytes."},
    [FREES] = {"frees", "frees", MP_UNIT_BLOCKS, "Blocks of this size that were freed."},
    [KEPT] = {"kept", "kept", MP_UNIT_BYTES, "Bytes that were never freed."},
    [KEPT_PERCENT] = {"kept_share", "(%)", MP_UNIT_PERCENT,
                      "Their share of all bytes that were never freed."},
    [TYPES] = {"types", "types", MP_UNIT_NAMES, "The program's types that have this size."},
};

static const struct mp_table_said said[] = {
    {ALLOCS, "%s allocation", "%s allocations"},
    {BYTES, "%s bytes", "%s bytes"},
    {FREES, "%s free", "%s frees"},
    {KEPT, "%s bytes kept", "%s bytes kept"},
};

const struct mp_table_kind mp_table_bins_kind = {
    .key = "bins", .title = "TABLE 1: ALLOCATION BINS", .one = "bin", .many = "bins",
    .explanation = "Allocation by the size of the blocks.",
    .columns = columns, .n_columns = N_COLUMNS,
    .said = said, .n_said = sizeof said / sizeof *said, .plain_count = true,
};

/* Of a sampled recording only allocs and bytes are what bins say. */
struct sum {
    uint64_t bins, allocs, bytes;
    struct mp_counts counts;
};

static struct mp_counts
counts_of(const struct mp_profile *profile, unsigned size)
{
    const struct mp_bin *bin = &profile->bins[size];

    if (profile->bin_counts)
        return profile->bin_counts[size];
    return (struct mp_counts){.allocs = bin->allocs, .bytes = bin->bytes, .frees = bin->frees,
                              .freed = bin->freed,
                              .kept = bin->bytes > bin->freed ? bin->bytes - bin->freed : 0};
}

static void
sum_add(struct sum *sum, const struct mp_profile *profile, unsigned size)
{
    const struct mp_counts counts = counts_of(profile, size);

    sum->bins++;
    sum->allocs += profile->bins[size].allocs;
    sum->bytes += profile->bins[size].bytes;
    mp_counts_add(&sum->counts, &counts);
}

static bool
bin_used(const struct mp_bin *bin)
{
    return bin->allocs > 0 || bin->frees > 0;
}

/* A bin is shown for its share of all bytes, or of all kept bytes.  Where all blocks are of no
 * bytes, there is no share to go by. */
static bool
bin_shown(const struct mp_profile *profile, unsigned size, const struct sum *all, unsigned threshold)
{
    return threshold == 0 || all->bytes == 0 ||
           mp_at_least(profile->bins[size].bytes, all->bytes, threshold) ||
           mp_at_least(counts_of(profile, size).kept, all->counts.kept, threshold);
}

static void
fill(struct mp_value values[static N_COLUMNS], const struct sum *sum)
{
    values[ALLOCS] = mp_value_number(sum->allocs);
    values[BYTES] = mp_value_number(sum->bytes);
    values[FREES] = mp_value_figure(&sum->counts, MP_FIGURE_FREES);
    values[KEPT] = mp_value_figure(&sum->counts, MP_FIGURE_KEPT);
}

static void
add_bin(struct mp_table *table, const struct mp_profile *profile, unsigned size,
        const struct sum *all)
{
    const struct mp_bin *bin = &profile->bins[size];
    struct mp_value *values = mp_table_add_item(table);
    struct sum sum = {0};

    sum_add(&sum, profile, size);
    fill(values, &sum);
    values[SIZE] = size == MP_BIN_LARGE ? mp_value_none("> 1024") : mp_value_number(size);
    values[PERCENT] = mp_value_share(sum.bytes, all->bytes);
    values[KEPT_PERCENT] = mp_value_share(sum.counts.kept, all->counts.kept);
    values[TYPES] = mp_value_names(&profile->types[bin->first_type], bin->n_types);
}

static void
add_total(struct mp_table *table, const struct sum *all)
{
    struct mp_value *values = mp_table_add_total(table);

    fill(values, all);
    values[SIZE] = mp_value_none("<TOTAL>");
}

struct mp_table *
mp_table_bins(const struct mp_table_request *request)
{
    struct mp_table *table = mp_table_new(&mp_table_bins_kind);
    const struct mp_bin *bins = request->profile->bins;
    struct sum all = {0}, left = {0};

    table->permille = mp_print_threshold(request->options);
    for (unsigned size = 0; size < MP_BINS; size++)
        if (bin_used(&bins[size]))
            sum_add(&all, request->profile, size);
    if (all.bins == 0) {
        table->nothing = MP_PRINT_NOTHING;
        return table;
    }
    for (unsigned size = 0; size < MP_BIN_LARGE; size++) {
        if (bin_used(&bins[size]) && bin_shown(request->profile, size, &all, table->permille))
            add_bin(table, request->profile, size, &all);
        else if (bin_used(&bins[size]))
            sum_add(&left, request->profile, size);
    }
    add_bin(table, request->profile, MP_BIN_LARGE, &all);
    add_total(table, &all);
    fill(mp_table_leave_out(table, left.bins), &left);
    return table;
}
