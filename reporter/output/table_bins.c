/* The table of Figure 3 of Zorn and Hilfinger's report; fields as in its manual page, TABLE 1. */
#include "table_bins.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/base/columns.h"
#include "reporter/base/format_number.h"

static const struct mp_column columns[] = {
    {"size:", MP_RIGHT}, {"allocs", MP_RIGHT}, {"bytes", MP_RIGHT}, {"(%)", MP_RIGHT},
    {"frees", MP_RIGHT}, {"kept", MP_RIGHT},   {"(%)", MP_RIGHT},   {"types", MP_WRAP},
};
enum { N_COLUMNS = sizeof columns / sizeof *columns, TYPES_SHOWN = 6 };

struct sum {
    uint64_t bins, allocs, bytes, frees, kept;
};

static uint64_t
bin_kept(const struct mp_bin *bin)
{
    return bin->bytes > bin->freed ? bin->bytes - bin->freed : 0;
}

static void
sum_add(struct sum *sum, const struct mp_bin *bin)
{
    sum->bins++;
    sum->allocs += bin->allocs;
    sum->bytes += bin->bytes;
    sum->frees += bin->frees;
    sum->kept += bin_kept(bin);
}

static bool
bin_used(const struct mp_bin *bin)
{
    return bin->allocs > 0 || bin->frees > 0;
}

/* A bin is shown for its share of all bytes, or of all kept bytes.  Where all blocks are of no
 * bytes, there is no share to go by. */
static bool
bin_shown(const struct mp_bin *bin, const struct sum *all, const struct mp_print_options *options)
{
    unsigned threshold = mp_print_threshold(options);

    return threshold == 0 || all->bytes == 0 || mp_at_least(bin->bytes, all->bytes, threshold) ||
           mp_at_least(bin_kept(bin), all->kept, threshold);
}

/* "widget, struct node"; the caller frees it.  Unless ALL, a long list is cut. */
static char *
type_list(const struct mp_profile *profile, const struct mp_bin *bin, bool all)
{
    uint32_t n = all || bin->n_types <= TYPES_SHOWN ? bin->n_types : TYPES_SHOWN;
    size_t size = 0;
    char *text = NULL;
    FILE *stream = open_memstream(&text, &size);

    if (!stream)
        return NULL;
    for (uint32_t i = 0; i < n; i++)
        fprintf(stream, "%s%s", i > 0 ? ", " : "", profile->types[bin->first_type + i]);
    if (n < bin->n_types)
        fprintf(stream, ", and %" PRIu32 " more", bin->n_types - n);
    fclose(stream);
    return text;
}

static void
add_row(struct mp_columns *table, const char *size, const struct sum *row, const struct sum *whole,
        const char *types)
{
    char texts[N_COLUMNS][MP_NUMBER_SIZE];
    const char *cells[N_COLUMNS] = {
        size, texts[1], texts[2], texts[3], texts[4], texts[5], texts[6], types,
    };

    snprintf(texts[1], MP_NUMBER_SIZE, "%" PRIu64, row->allocs);
    snprintf(texts[2], MP_NUMBER_SIZE, "%" PRIu64, row->bytes);
    mp_number_percent(row->bytes, whole ? whole->bytes : 0, texts[3]);
    snprintf(texts[4], MP_NUMBER_SIZE, "%" PRIu64, row->frees);
    snprintf(texts[5], MP_NUMBER_SIZE, "%" PRIu64, row->kept);
    mp_number_percent(row->kept, whole ? whole->kept : 0, texts[6]);
    mp_columns_row(table, cells);
}

static void
add_bin(struct mp_columns *table, const struct mp_profile *profile, unsigned size,
        const struct sum *all, enum mp_verbosity verbosity)
{
    const struct mp_bin *bin = &profile->bins[size];
    struct sum row = {0};
    char name[MP_NUMBER_SIZE] = "> 1024";
    char *types = bin->n_types > 0 ? type_list(profile, bin, verbosity == MP_VERBOSE) : NULL;

    if (size != MP_BIN_LARGE)
        snprintf(name, sizeof name, "%u", size);
    sum_add(&row, bin);
    add_row(table, name, &row, all, types);
    free(types);
}

static void
print_left_out(const struct sum *left, const struct mp_print_options *options, FILE *out)
{
    char allocs[MP_NUMBER_SIZE], bytes[MP_NUMBER_SIZE], frees[MP_NUMBER_SIZE],
        kept[MP_NUMBER_SIZE], threshold[MP_NUMBER_SIZE];

    if (left->bins == 0)
        return;
    fprintf(out, "%" PRIu64 " bin%s of less than %s %% left out: %s allocation%s, %s bytes, "
                 "%s free%s, %s bytes kept\n",
            left->bins, mp_plural(left->bins), mp_print_threshold_text(options, threshold),
            mp_number_grouped(left->allocs, allocs), mp_plural(left->allocs),
            mp_number_grouped(left->bytes, bytes), mp_number_grouped(left->frees, frees),
            mp_plural(left->frees), mp_number_grouped(left->kept, kept));
}

bool
mp_table_bins(const struct mp_profile *profile, const struct mp_print_options *options, FILE *out,
              struct mp_error *error)
{
    struct mp_columns *table;
    struct sum all = {0}, left = {0};

    for (unsigned size = 0; size < MP_BINS; size++)
        if (bin_used(&profile->bins[size]))
            sum_add(&all, &profile->bins[size]);
    mp_columns_title(out, "TABLE 1: ALLOCATION BINS", options->color);
    if (all.bins == 0) {
        fputs(MP_PRINT_NOTHING, out);
        return true;
    }
    table = mp_columns_new(columns, N_COLUMNS, options->width);
    for (unsigned size = 0; size < MP_BIN_LARGE; size++) {
        const struct mp_bin *bin = &profile->bins[size];

        if (!bin_used(bin))
            continue;
        if (bin_shown(bin, &all, options))
            add_bin(table, profile, size, &all, options->verbosity);
        else
            sum_add(&left, bin);
    }
    add_bin(table, profile, MP_BIN_LARGE, &all, options->verbosity);
    add_row(table, "<TOTAL>", &all, NULL, NULL);
    if (!mp_columns_print(table, out, error))
        return false;
    print_left_out(&left, options, out);
    return true;
}
