/* The totals of both sides as a table. */
#include <stdlib.h>

#include "sentences.h"
#include "table_changes.h"

enum { FIGURE, BEFORE, AFTER, CHANGE, UNCERTAIN, LOW, HIGH, PERCENT, DOUBT, N_COLUMNS };

static const struct mp_table_column columns[N_COLUMNS] = {
    [FIGURE] = {"figure", "", MP_UNIT_TEXT, "What is counted."},
    [BEFORE] = {"before", "before", MP_UNIT_COUNT, "The figure before."},
    [AFTER] = {"after", "after", MP_UNIT_COUNT, "The figure after."},
    [CHANGE] = {"change", "change", MP_UNIT_COUNT, "By how much it is more than before, or less.",
                MP_LAYOUT_SIGNED},
    [UNCERTAIN] = {"uncertainty", "+-", MP_UNIT_COUNT,
                   "How far its interval goes; of several runs, how far those of one side differ.",
                   MP_LAYOUT_OPTIONAL},
    [LOW] = {"change_low", "from", MP_UNIT_COUNT, "The change is not less than this, with 95 % confidence.",
             MP_LAYOUT_SIGNED | MP_LAYOUT_HIDDEN},
    [HIGH] = {"change_high", "to", MP_UNIT_COUNT, "The change is not more than this, with 95 % confidence.",
              MP_LAYOUT_SIGNED | MP_LAYOUT_HIDDEN},
    [PERCENT] = {"change_share", "%", MP_UNIT_PERCENT, "The change as a share of what was before.",
                 MP_LAYOUT_SIGNED | MP_LAYOUT_TENTHS},
    [DOUBT] = {"doubt", "", MP_UNIT_TEXT, "Why the change may be chance; nothing where it is none.",
               MP_LAYOUT_OPTIONAL},
};

static const struct mp_table_kind kind = {
    .key = "sides", .title = "IN ALL", .one = "figure", .many = "figures",
    .explanation = "Both sides by themselves.", .columns = columns, .n_columns = N_COLUMNS,
};

struct mp_value
mp_value_signed(int64_t number)
{
    return (struct mp_value){.known = true, .negative = number < 0,
                             .number = number < 0 ? -(uint64_t)number : (uint64_t)number};
}

/* Returns the larger distance of the change from the ends of its interval. If it has no interval, returns the
 * noise. */
static uint64_t
error_of(const struct mp_difference *d)
{
    uint64_t down = (uint64_t)d->change - (uint64_t)d->low, up = (uint64_t)d->high - (uint64_t)d->change;

    return !d->estimated ? d->noise : down > up ? down : up;
}

void
mp_change_fill(const struct mp_difference *d, const struct mp_change_values *values)
{
    *values->change = *values->share = mp_value_signed(d->change);
    values->share->whole = d->before > 0 ? (uint64_t)d->before : 0;
    if (d->estimated || d->noise > 0)
        *values->uncertainty = mp_value_number(error_of(d));
    if (d->estimated) {
        *values->low = mp_value_signed(d->low);
        *values->high = mp_value_signed(d->high);
    }
    if (!d->certain)
        *values->doubt = mp_value_text(d->estimated ? "within the interval" : "within the noise");
}

static void
add_figure(struct mp_table *table, const char *what, const struct mp_difference *d)
{
    struct mp_value *values = mp_table_add_item(table);

    values[FIGURE] = mp_value_text(what);
    values[BEFORE] = mp_value_signed(d->before);
    values[AFTER] = mp_value_signed(d->after);
    mp_change_fill(d, &(struct mp_change_values){&values[CHANGE], &values[UNCERTAIN], &values[LOW],
                                                 &values[HIGH], &values[PERCENT], &values[DOUBT]});
}

/* Adds the short-lived bytes. They are no figure of chains; the page that compares two sides shows them only here. */
static void
add_short(struct mp_table *table, const struct mp_join *join)
{
    int64_t *values = mp_need(calloc(join->n_runs, sizeof *values));
    struct mp_difference d;

    for (uint32_t i = 0; i < join->n_runs; i++)
        values[i] = (int64_t)join->runs[i].short_bytes;
    d = mp_difference(join, values, NULL, MP_FIGURE_BYTES);
    add_figure(table, "bytes short-lived", &d);
    free(values);
}

struct mp_table *
mp_table_sides(const struct mp_join *join)
{
    struct mp_table *table = mp_table_new(&kind);
    struct mp_side_figure figures[MP_SIDE_FIGURES];
    const unsigned n = mp_side_figures(join, figures);

    for (unsigned i = 0; i < n; i++)
        add_figure(table, figures[i].what, &figures[i].difference);
    if (mp_join_has_lifetimes(join))
        add_short(table, join);
    return table;
}
