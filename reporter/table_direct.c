#include "table_direct.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "columns.h"
#include "format_number.h"

enum { PERCENT, BYTES, SIZES, BAR, KEPT, KEPT_SIZES, BAR_TOO, CALLS, NAME, N_COLUMNS };

static const struct mp_column columns[N_COLUMNS] = {
    [PERCENT] = {"% mem", MP_RIGHT},
    [BYTES] = {"bytes", MP_RIGHT},
    [SIZES] = {"     % mem(size)", MP_LEFT},
    [BAR] = {"|", MP_LEFT},
    [KEPT] = {"bytes kept", MP_RIGHT},
    [KEPT_SIZES] = {"      % all kept", MP_LEFT},
    [BAR_TOO] = {"|", MP_LEFT},
    [CALLS] = {"calls", MP_RIGHT},
    [NAME] = {"name", MP_LEFT},
};

struct table {
    struct mp_columns *rows;
    const struct mp_reduced *reduced;
    const struct mp_print_options *options;
    uint64_t bytes, kept;       /* of the whole program */
};

/* The letters of the breakdowns stand in a row of their own under the titles. */
static void
add_heads(const struct table *t)
{
    char letters[MP_BREAKDOWN_WIDTH + 1];

    mp_breakdown_heads(t->reduced->graph->style, letters);
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

    mp_breakdown_cells(sums->bytes, t->bytes, sizes);
    mp_breakdown_cells(sums->kept, t->kept, kept_sizes);
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

/* Functions come by decreasing bytes: the first that is too small ends the table.  How many are
 * in it. */
static uint32_t
add_functions(const struct table *t)
{
    const struct mp_reduced *r = t->reduced;
    uint32_t i;

    for (i = 0; i < r->n_direct; i++) {
        const struct mp_sums *self = &r->graph->nodes[r->direct[i]].self;

        if (!mp_print_shows(t->options->verbosity, mp_sums_bytes(self), t->bytes))
            break;
        add_row(t, self, r->profile->functions[r->direct[i]].name, true);
    }
    return i;
}

static void
print_left_out(FILE *out, const struct table *t, uint32_t shown)
{
    const struct mp_reduced *r = t->reduced;
    struct mp_sums left = { 0 };
    uint32_t n = r->n_direct - shown;
    char number[4][MP_NUMBER_SIZE];
    uint64_t bytes;

    if (n == 0)
        return;
    for (uint32_t i = shown; i < r->n_direct; i++)
        mp_sums_add(&left, &r->graph->nodes[r->direct[i]].self);
    bytes = mp_sums_bytes(&left);
    fprintf(out, "%s function%s of less than %s %% left out: %s byte%s (%s %%), %s call%s\n",
            mp_number_grouped(n, number[0]), mp_plural(n),
            mp_print_threshold_text(t->options->verbosity), mp_number_grouped(bytes, number[1]),
            mp_plural(bytes), mp_number_tenths(bytes, t->bytes, number[2]),
            mp_number_grouped(left.allocs, number[3]), mp_plural(left.allocs));
}

bool
mp_table_direct_print(FILE *out, const struct mp_reduced *reduced,
                      const struct mp_print_options *options, struct mp_error *error)
{
    const struct mp_sums *total = &reduced->graph->total;
    struct table t = {
        .reduced = reduced, .options = options,
        .bytes = mp_sums_bytes(total), .kept = mp_sums_kept(total),
    };
    uint32_t shown;

    mp_columns_title(out, "TABLE 3: DIRECT ALLOCATION", options->color);
    if (total->allocs == 0) {
        fputs(MP_PRINT_NOTHING, out);
        return true;
    }
    t.rows = mp_columns_new(columns, N_COLUMNS, 0);     /* as table 4: no name is cut */
    add_heads(&t);
    add_row(&t, total, "<TOTAL>", false);
    shown = add_functions(&t);
    if (!mp_columns_print(t.rows, out, error))
        return false;
    print_left_out(out, &t, shown);
    if (ferror(out))
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "writing the report: %s",
                       strerror(errno));
    return true;
}
