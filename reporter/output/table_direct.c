#include "table_direct.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "breakdown.h"
#include "reporter/base/columns.h"
#include "reporter/base/format_number.h"

enum { PERCENT, BYTES, SIZES, BAR, KEPT, KEPT_SIZES, BAR_TOO, CALLS, NAME, N_COLUMNS };

static const struct mp_column columns[N_COLUMNS] = {
    [PERCENT] = {"% mem", MP_RIGHT},
    [BYTES] = {"bytes", MP_RIGHT},
    [SIZES] = {NULL, MP_LEFT},
    [BAR] = {"|", MP_LEFT},
    [KEPT] = {"bytes kept", MP_RIGHT},
    [KEPT_SIZES] = {NULL, MP_LEFT},
    [BAR_TOO] = {"|", MP_LEFT},
    [CALLS] = {"calls", MP_RIGHT},
    [NAME] = {"name", MP_LEFT},
};

struct table {
    struct mp_columns *rows;
    const struct mp_reduced *reduced;
    const struct mp_breakdown_style *style;
    uint32_t *order;            /* functions, in the order of the rows */
    const struct mp_print_options *options;
    uint64_t bytes, kept;       /* of the whole program */
};

static void
begin(struct table *t)
{
    struct mp_column titled[N_COLUMNS];
    char sizes[MP_BREAKDOWN_WIDTH + 1], kept[MP_BREAKDOWN_WIDTH + 1], what[32];
    int width = mp_breakdown_width(t->style);

    memcpy(titled, columns, sizeof titled);
    snprintf(what, sizeof what, "%% mem(%s)", mp_breakdown_what(t->style));
    snprintf(sizes, sizeof sizes, "%*s", width, what);
    snprintf(kept, sizeof kept, "%*s", width, "% all kept");
    titled[SIZES].title = sizes;
    titled[KEPT_SIZES].title = kept;
    t->rows = mp_columns_new(titled, N_COLUMNS, 0);     /* as table 4: no name is cut */
}

/* The letters of the breakdowns stand in a row of their own under the titles. */
static void
add_heads(const struct table *t)
{
    char letters[MP_BREAKDOWN_WIDTH + 1];

    mp_breakdown_heads(t->style, letters);
    mp_columns_row(t->rows, (const char *[N_COLUMNS]){
        [SIZES] = letters, [BAR] = "|", [KEPT_SIZES] = letters, [BAR_TOO] = "|",
    });
}

static void
add_row(const struct table *t, const struct mp_sums *sums, const char *name, bool percent)
{
    char sizes[MP_BREAKDOWN_WIDTH + 1], kept_sizes[MP_BREAKDOWN_WIDTH + 1];
    char share[MP_NUMBER_SIZE] = "", bytes[MP_NUMBER_SIZE], kept[MP_NUMBER_SIZE],
        calls[MP_NUMBER_SIZE];

    mp_breakdown_cells(t->style, sums->bytes, t->bytes, sizes);
    mp_breakdown_cells(t->style, sums->kept, t->kept, kept_sizes);
    if (percent && t->bytes > 0)
        mp_number_tenths(mp_sums_bytes(sums), t->bytes, share);
    snprintf(bytes, sizeof bytes, "%" PRIu64, mp_sums_bytes(sums));
    snprintf(kept, sizeof kept, "%" PRIu64, mp_sums_kept(sums));
    snprintf(calls, sizeof calls, "%" PRIu64, sums->allocs);
    mp_columns_row(t->rows, (const char *[N_COLUMNS]){
        [PERCENT] = share, [BYTES] = bytes, [SIZES] = sizes, [BAR] = "|", [KEPT] = kept,
        [KEPT_SIZES] = kept_sizes, [BAR_TOO] = "|", [CALLS] = calls, [NAME] = name,
    });
}

/* What rows are sorted by. */
static uint64_t
key_of(enum mp_sort sort, const struct mp_sums *sums)
{
    return sort == MP_SORT_OBJECTS ? sums->allocs
           : sort == MP_SORT_KEPT  ? mp_sums_kept(sums)
                                   : mp_sums_bytes(sums);
}

static const struct mp_sums *
self_of(const struct table *t, uint32_t function)
{
    return &t->reduced->graph->nodes[function].self;
}

static int
compare_rows(const void *a, const void *b, void *data)
{
    const struct table *t = data;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    uint64_t left = key_of(t->options->sort, self_of(t, x));
    uint64_t right = key_of(t->options->sort, self_of(t, y));

    if (left != right)
        return left < right ? 1 : -1;
    return strcmp(t->reduced->profile->functions[x].name, t->reduced->profile->functions[y].name);
}

/* Functions come by decreasing bytes, or as is wanted: the first that is too small ends the table.
 * How many are in it. */
static uint32_t
add_functions(const struct table *t)
{
    const struct mp_reduced *r = t->reduced;
    uint64_t whole = key_of(t->options->sort, &r->graph->total);
    uint32_t i;

    for (i = 0; i < r->n_direct && mp_print_room(t->options, i); i++) {
        const struct mp_sums *self = self_of(t, t->order[i]);

        if (!mp_print_shows(t->options, key_of(t->options->sort, self), whole))
            break;
        add_row(t, self, r->profile->functions[t->order[i]].name, true);
    }
    return i;
}

static void
print_left_out(FILE *out, const struct table *t, uint32_t shown)
{
    const struct mp_reduced *r = t->reduced;
    struct mp_sums left = { 0 };
    uint32_t n = r->n_direct - shown;
    char number[4][MP_NUMBER_SIZE], why[64] = "";
    uint64_t bytes;

    if (n == 0)
        return;
    for (uint32_t i = shown; i < r->n_direct; i++)
        mp_sums_add(&left, self_of(t, t->order[i]));
    bytes = mp_sums_bytes(&left);
    if (mp_print_room(t->options, shown))
        snprintf(why, sizeof why, " of less than %s %%",
                 mp_print_threshold_text(t->options, number[0]));
    fprintf(out, "%s function%s%s left out: %s byte%s (%s %%), %s call%s\n",
            mp_number_grouped(n, number[0]), mp_plural(n), why,
            mp_number_grouped(bytes, number[1]), mp_plural(bytes), mp_number_tenths(bytes, t->bytes, number[2]),
            mp_number_grouped(left.allocs, number[3]), mp_plural(left.allocs));
}

static bool
sort_functions(struct table *t, struct mp_error *error)
{
    const struct mp_reduced *r = t->reduced;
    size_t size = r->n_direct * sizeof *t->order;

    t->order = malloc(size + 1);
    if (!t->order)
        return mp_fail(error, MP_ERR_MEMORY, MP_NO_OFFSET, "cannot sort the functions");
    if (size > 0)
        memcpy(t->order, r->direct, size);
    if (t->options->sort != MP_SORT_BYTES)
        qsort_r(t->order, r->n_direct, sizeof *t->order, compare_rows, t);
    return true;
}

static bool
print_table(struct table *t, FILE *out, struct mp_error *error)
{
    uint32_t shown;

    if (!sort_functions(t, error))
        return false;
    begin(t);
    add_heads(t);
    add_row(t, &t->reduced->graph->total, "<TOTAL>", false);
    shown = add_functions(t);
    if (!mp_columns_print(t->rows, out, error))
        return false;
    print_left_out(out, t, shown);
    return true;
}

bool
mp_table_direct_print(FILE *out, const struct mp_reduced *reduced,
                      const struct mp_print_options *options, struct mp_error *error)
{
    const struct mp_sums *total = &reduced->graph->total;
    struct table t = {
        .reduced = reduced, .style = reduced->graph->style, .options = options,
        .bytes = mp_sums_bytes(total), .kept = mp_sums_kept(total),
    };
    bool ok;

    mp_columns_title(out, "TABLE 3: DIRECT ALLOCATION", options->color);
    if (!mp_sums_any(total)) {
        fputs(MP_PRINT_NOTHING, out);
        return true;
    }
    ok = print_table(&t, out, error);
    free(t.order);
    if (ok && ferror(out))
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "writing the report: %s",
                       strerror(errno));
    return ok;
}
