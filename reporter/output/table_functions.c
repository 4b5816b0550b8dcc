#include "table_functions.h"

#include <inttypes.h>
#include <stdlib.h>

#include "reporter/base/columns.h"
#include "reporter/base/format_number.h"
#include "reporter/profile/charge.h"

enum { BYTES, PERCENT, OBJECTS, KEPT, FIGURES };
enum { WITHIN = FIGURES, WITHIN_PERCENT, FLAT_NAME, FLAT_COLUMNS };
enum { TYPE = FIGURES, TYPES_NAME, TYPES_COLUMNS };
enum { MOST_COLUMNS = FLAT_COLUMNS };

#define FIGURE_COLUMNS                                                                            \
    [BYTES] = {"bytes", MP_RIGHT}, [PERCENT] = {"(%)", MP_RIGHT},                                 \
    [OBJECTS] = {"objects", MP_RIGHT}, [KEPT] = {"bytes kept", MP_RIGHT}

static const struct mp_column flat_columns[FLAT_COLUMNS] = {
    FIGURE_COLUMNS,
    [WITHIN] = {"with callees", MP_RIGHT},
    [WITHIN_PERCENT] = {"(%)", MP_RIGHT},
    [FLAT_NAME] = {"function", MP_LEFT},
};

static const struct mp_column types_columns[TYPES_COLUMNS] = {
    FIGURE_COLUMNS,
    [TYPE] = {"type", MP_LEFT},
    [TYPES_NAME] = {"function", MP_LEFT},
};

struct table {
    const struct mp_profile *profile;
    const struct mp_graph *graph;       /* NULL: table 8 */
    const struct mp_print_options *options;
    struct mp_charges charges;
    struct mp_columns *rows;
    uint32_t shown;
};

static bool
is_shown(const struct table *t, uint32_t i)
{
    return i < t->charges.n && mp_print_room(t->options, i) &&
           mp_print_shows(t->options, mp_print_key(t->options, &t->charges.list[i].counts),
                          mp_print_key(t->options, &t->charges.total));
}

/* What ran with the function, and its name, or type and name; NULL: the total. */
static void
add_row(const struct table *t, const struct mp_counts *counts, const struct mp_charge *of)
{
    const uint64_t all = t->charges.total.bytes;
    char texts[MOST_COLUMNS][MP_NUMBER_SIZE];
    const char *cells[MOST_COLUMNS];
    const char *name = of ? t->profile->functions[of->function].name : "<TOTAL>";
    const struct mp_object_kind *kind = of ? mp_profile_kind(t->profile, of->kind) : NULL;

    for (int i = 0; i < MOST_COLUMNS; i++)
        cells[i] = texts[i];
    snprintf(texts[BYTES], MP_NUMBER_SIZE, "%" PRIu64, counts->bytes);
    mp_number_percent(counts->bytes, all, texts[PERCENT]);
    snprintf(texts[OBJECTS], MP_NUMBER_SIZE, "%" PRIu64, counts->allocs);
    snprintf(texts[KEPT], MP_NUMBER_SIZE, "%" PRIu64, counts->kept);
    if (t->graph) {
        uint64_t within = of ? mp_sums_bytes(&t->graph->nodes[of->function].inclusive) : all;

        snprintf(texts[WITHIN], MP_NUMBER_SIZE, "%" PRIu64, within);
        mp_number_percent(within, all, texts[WITHIN_PERCENT]);
        cells[FLAT_NAME] = name;
    } else {
        cells[TYPE] = kind ? kind->name : of ? "malloc" : "";
        cells[TYPES_NAME] = name;
    }
    mp_columns_row(t->rows, cells);
}

static void
print_left_out(const struct table *t, FILE *out)
{
    struct mp_counts rest = {0};
    uint64_t n = t->charges.n - t->shown;
    char number[4][MP_NUMBER_SIZE], why[64] = "";

    if (n == 0)
        return;
    for (uint32_t i = t->shown; i < t->charges.n; i++)
        mp_counts_add(&rest, &t->charges.list[i].counts);
    if (mp_print_room(t->options, t->shown))
        snprintf(why, sizeof why, " of less than %s %%",
                 mp_print_threshold_text(t->options, number[0]));
    fprintf(out, "%s %s%s%s left out: %s byte%s, %s object%s\n", mp_number_grouped(n, number[0]),
            t->graph ? "function" : "row", mp_plural(n), why,
            mp_number_grouped(rest.bytes, number[1]), mp_plural(rest.bytes),
            mp_number_grouped(rest.allocs, number[2]), mp_plural(rest.allocs));
}

static bool
print_table(struct table *t, FILE *out, struct mp_error *error)
{
    t->rows = t->graph ? mp_columns_new(flat_columns, FLAT_COLUMNS, 0)
                       : mp_columns_new(types_columns, TYPES_COLUMNS, 0);
    add_row(t, &t->charges.total, NULL);
    while (is_shown(t, t->shown)) {
        add_row(t, &t->charges.list[t->shown].counts, &t->charges.list[t->shown]);
        t->shown++;
    }
    if (!mp_columns_print(t->rows, out, error))
        return false;
    print_left_out(t, out);
    return true;
}

static bool
print(struct table *t, bool raw, const char *title, FILE *out, struct mp_error *error)
{
    const struct mp_charge_options wanted = {
        .by_kind = !t->graph, .raw = raw, .sort = t->options->sort};
    struct mp_arena *arena = mp_arena_new();
    bool ok = true;

    mp_columns_title(out, title, t->options->color);
    t->charges = mp_charge(t->profile, &wanted, arena);
    if (t->charges.n > 0)
        ok = print_table(t, out, error);
    else
        fputs(MP_PRINT_NOTHING, out);
    mp_arena_free(arena);
    return ok;
}

bool
mp_table_flat(const struct mp_profile *profile, const struct mp_graph *graph,
              const struct mp_print_options *options, bool raw, FILE *out, struct mp_error *error)
{
    struct table t = {.profile = profile, .graph = graph, .options = options};

    return print(&t, raw, "TABLE 7: ALLOCATION BY FUNCTION", out, error);
}

bool
mp_table_function_types(const struct mp_profile *profile, const struct mp_print_options *options,
                        bool raw, FILE *out, struct mp_error *error)
{
    struct table t = {.profile = profile, .options = options};

    return print(&t, raw, "TABLE 8: ALLOCATION BY FUNCTION AND TYPE", out, error);
}
