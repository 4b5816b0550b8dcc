/* SPDX-License-Identifier: MIT */
#include "table_changes.h"

#include <stdlib.h>

#include "reporter/graph/node_chain.h"
#include "reporter/table/tables.h"
#include "reporter/view/sort.h"
#include "sentences.h"

/* Columns that both tables have. */
#define COLUMN_CHANGE(unit) \
    {"change", "change", (unit), "By how much it is more than before, or less.", MP_LAYOUT_SIGNED}
#define COLUMN_UNCERTAIN(unit) \
    {"uncertainty", "+-", (unit), "How far its interval goes; of several runs, how far those of one side differ.", \
     MP_LAYOUT_OPTIONAL}
#define COLUMN_LOW(unit) \
    {"change_low", "from", (unit), "The change is not less than this, with 95 % confidence.", \
     MP_LAYOUT_SIGNED | MP_LAYOUT_HIDDEN}
#define COLUMN_HIGH(unit) \
    {"change_high", "to", (unit), "The change is not more than this, with 95 % confidence.", \
     MP_LAYOUT_SIGNED | MP_LAYOUT_HIDDEN}
#define COLUMN_PERCENT \
    {"change_share", "%", MP_UNIT_PERCENT, "The change as a share of what was before.", \
     MP_LAYOUT_SIGNED | MP_LAYOUT_TENTHS}
#define COLUMN_BEFORE(unit) {"before", "before", (unit), "The figure before."}
#define COLUMN_AFTER(unit) {"after", "after", (unit), "The figure after."}
#define COLUMN_DOUBT \
    {"doubt", "", MP_UNIT_TEXT, "Why the change may be chance; nothing where it is none.", MP_LAYOUT_OPTIONAL}

/* ------------------------------------------------------------- differences */

static struct mp_value
signed_value(int64_t number)
{
    return (struct mp_value){.known = true, .negative = number < 0, .number = mp_change_size(number)};
}

/* Returns the larger distance of the change from the ends of its interval. If it has no interval, returns the
 * noise. */
static uint64_t
error_of(const struct mp_difference *d)
{
    uint64_t down = (uint64_t)d->change - (uint64_t)d->low, up = (uint64_t)d->high - (uint64_t)d->change;

    return !d->estimated ? d->noise : down > up ? down : up;
}

/* The values of a row that show one difference. */
struct change_values {
    struct mp_value *before, *after, *change, *uncertainty, *low, *high, *share, *doubt;
};

/* Sets the VALUES that are known. */
static void
put_difference(const struct mp_difference *d, const struct change_values *values)
{
    *values->before = signed_value(d->before);
    *values->after = signed_value(d->after);
    *values->change = *values->share = signed_value(d->change);
    values->share->whole = d->before > 0 ? (uint64_t)d->before : 0;
    if (d->estimated || d->noise > 0)
        *values->uncertainty = mp_value_number(error_of(d));
    if (d->estimated) {
        *values->low = signed_value(d->low);
        *values->high = signed_value(d->high);
    }
    if (!d->certain)
        *values->doubt = mp_value_text(d->estimated ? "within the interval" : "within the noise");
}

/* ------------------------------------------------------ the totals of sides */

enum {
    SIDE_FIGURE, SIDE_BEFORE, SIDE_AFTER, SIDE_CHANGE, SIDE_UNCERTAIN, SIDE_LOW, SIDE_HIGH, SIDE_PERCENT, SIDE_DOUBT,
    N_SIDE_COLUMNS
};

static const struct mp_table_column side_columns[N_SIDE_COLUMNS] = {
    [SIDE_FIGURE] = {"figure", "", MP_UNIT_TEXT, "What is counted."},
    [SIDE_BEFORE] = COLUMN_BEFORE(MP_UNIT_COUNT),
    [SIDE_AFTER] = COLUMN_AFTER(MP_UNIT_COUNT),
    [SIDE_CHANGE] = COLUMN_CHANGE(MP_UNIT_COUNT),
    [SIDE_UNCERTAIN] = COLUMN_UNCERTAIN(MP_UNIT_COUNT),
    [SIDE_LOW] = COLUMN_LOW(MP_UNIT_COUNT),
    [SIDE_HIGH] = COLUMN_HIGH(MP_UNIT_COUNT),
    [SIDE_PERCENT] = COLUMN_PERCENT,
    [SIDE_DOUBT] = COLUMN_DOUBT,
};

static const struct mp_table_kind side_kind = {
    .key = "sides", .title = "IN ALL", .one = "figure", .many = "figures",
    .explanation = "Both sides by themselves.", .columns = side_columns, .n_columns = N_SIDE_COLUMNS,
};

static void
add_figure(struct mp_table *table, const char *what, const struct mp_difference *d)
{
    struct mp_value *values = mp_table_add_item(table);

    values[SIDE_FIGURE] = mp_value_text(what);
    put_difference(d, &(struct change_values){
        .before = &values[SIDE_BEFORE], .after = &values[SIDE_AFTER], .change = &values[SIDE_CHANGE],
        .uncertainty = &values[SIDE_UNCERTAIN], .low = &values[SIDE_LOW], .high = &values[SIDE_HIGH],
        .share = &values[SIDE_PERCENT], .doubt = &values[SIDE_DOUBT]});
}

/* Adds the short-lived bytes. They are not among the figures of a chain, so the page that compares two sides shows them
 * only here. */
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
    struct mp_table *table = mp_table_new(&side_kind);
    struct mp_side_figure figures[MP_SIDE_FIGURES];
    const unsigned n = mp_side_figures(join, figures);

    for (unsigned i = 0; i < n; i++)
        add_figure(table, figures[i].what, &figures[i].difference);
    if (mp_join_has_lifetimes(join))
        add_short(table, join);
    return table;
}

/* ------------------------------------------------------ changes of items */

enum {
    CHANGE, UNCERTAIN, LOW, HIGH, PERCENT, BEFORE, AFTER, OTHER, WITHIN, SHORT, SHORT_LAST = SHORT + MP_SIDES - 1,
    BECAME, DOUBT, TYPES, NAME, N_COLUMNS
};

#define COLUMNS(unit, other_unit, other_title, name_key, name_title, name_unit, name_explanation)            \
    {                                                                                                         \
        [CHANGE] = COLUMN_CHANGE(unit),                                                                       \
        [UNCERTAIN] = COLUMN_UNCERTAIN(unit),                                                                 \
        [LOW] = COLUMN_LOW(unit),                                                                             \
        [HIGH] = COLUMN_HIGH(unit),                                                                           \
        [PERCENT] = COLUMN_PERCENT,                                                                           \
        [BEFORE] = COLUMN_BEFORE(unit),                                                                       \
        [AFTER] = COLUMN_AFTER(unit),                                                                         \
        [OTHER] = {"other_change", (other_title), (other_unit), "By how much these are more or less.",        \
                   MP_LAYOUT_SIGNED},                                                                         \
        [WITHIN] = {"within_change", "with callees", (unit), "The change with all that the function called.", \
                    MP_LAYOUT_SIGNED | MP_LAYOUT_OPTIONAL},                                                   \
        [SHORT + 0] = {"short_before", "short-lived before", MP_UNIT_PERCENT,                                 \
                   "Share of the bytes allocated before that lived a short time.", MP_LAYOUT_OPTIONAL},       \
        [SHORT + 1] = {"short_after", "short-lived after", MP_UNIT_PERCENT,                                   \
                   "Share of the bytes allocated after that lived a short time.", MP_LAYOUT_OPTIONAL},        \
        [BECAME] = {"became", "", MP_UNIT_TEXT, "What became of it: new, gone, grown or shrunk."},            \
        [DOUBT] = COLUMN_DOUBT,                                                                               \
        [TYPES] = {"types", "types", MP_UNIT_NAMES, "The types that have this size.", MP_LAYOUT_OPTIONAL},    \
        [NAME] = {(name_key), (name_title), (name_unit), (name_explanation)},                                 \
    }

/* Two sets of columns: for comparisons of bytes, and of blocks. */
#define TWO_COLUMNS(...)                                                                                      \
    {COLUMNS(MP_UNIT_BYTES, MP_UNIT_BLOCKS, "blocks", __VA_ARGS__),                                           \
     COLUMNS(MP_UNIT_BLOCKS, MP_UNIT_BYTES, "bytes", __VA_ARGS__)}

static const struct mp_table_column columns[MP_CHANGES_BY][2][N_COLUMNS] = {
    [MP_BY_FUNCTION] = TWO_COLUMNS("function", "function", MP_UNIT_FUNCTION, "The function."),
    [MP_BY_CHAIN] = TWO_COLUMNS("chain", "path", MP_UNIT_CHAIN, "Callers, and the function that allocated."),
    [MP_BY_TYPE] = TWO_COLUMNS("type", "type", MP_UNIT_TEXT, "The type of the objects, or malloc."),
    [MP_BY_MODULE] = TWO_COLUMNS("module", "module", MP_UNIT_TEXT, "The program, or a library."),
    [MP_BY_SIZE] = TWO_COLUMNS("size", "size", MP_UNIT_TEXT, "Bytes of a block as they were asked for."),
};

static const struct mp_table_said said[2][1] = {{{CHANGE, "%s byte", "%s bytes"}}, {{CHANGE, "%s block", "%s blocks"}}};

#define KIND(by, unit, of, of_one, of_many)                                                                   \
    {                                                                                                         \
        .key = "changes-" of_one, .title = "CHANGES BY " of, .one = of_one, .many = of_many,                  \
        .explanation = "What is more or less than before, what changed most first.",                          \
        .columns = columns[by][unit], .n_columns = N_COLUMNS, .said = said[unit], .n_said = 1,                \
    }
#define TWO_KINDS(by, of, of_one, of_many) {KIND(by, 0, of, of_one, of_many), KIND(by, 1, of, of_one, of_many)}

static const struct mp_table_kind kinds[MP_CHANGES_BY][2] = {
    [MP_BY_FUNCTION] = TWO_KINDS(MP_BY_FUNCTION, "FUNCTION", "function", "functions"),
    [MP_BY_CHAIN] = TWO_KINDS(MP_BY_CHAIN, "CHAIN", "chain", "chains"),
    [MP_BY_TYPE] = TWO_KINDS(MP_BY_TYPE, "TYPE", "type", "types"),
    [MP_BY_MODULE] = TWO_KINDS(MP_BY_MODULE, "MODULE", "module", "modules"),
    [MP_BY_SIZE] = TWO_KINDS(MP_BY_SIZE, "SIZE", "size", "sizes"),
};

/* ---------------------------------------------------------------- rows */

/* Sets the values that all rows have. */
static void
fill(struct mp_value values[static N_COLUMNS], const struct mp_difference *cost,
     const struct mp_difference *other)
{
    put_difference(cost, &(struct change_values){
        .before = &values[BEFORE], .after = &values[AFTER], .change = &values[CHANGE],
        .uncertainty = &values[UNCERTAIN], .low = &values[LOW], .high = &values[HIGH],
        .share = &values[PERCENT], .doubt = &values[DOUBT]});
    if (!other->unknown)
        values[OTHER] = signed_value(other->change);
}

/* Sets the shares of short-lived bytes. They are known by function, chain and type if all runs recorded lifetimes. */
static void
fill_short(struct mp_value values[static MP_SIDES], const struct mp_join *join, const struct mp_changed *item)
{
    if (!mp_join_has_lifetimes(join))
        return;
    for (unsigned side = 0; side < MP_SIDES; side++)
        if (item->young[side].of > 0)
            values[side] = mp_value_share(item->young[side].bytes, item->young[side].of);
}

static struct mp_value
name_of(struct mp_changes *changes, const struct mp_changed *item, const struct mp_table *table)
{
    const struct mp_chain_options chain = {.limit = changes->chain};
    const char *text = mp_changes_name(changes, item);

    if (changes->by == MP_BY_FUNCTION && item->id != MP_NO_ID)
        return mp_value_function(changes->join->profile, item->id);
    if (changes->by == MP_BY_CHAIN && item->id != 0)
        return mp_value_chain(item->id, text,
                              mp_chain_words(changes->tree, &chain, item->id, table->arena),
                              mp_table_calls(table, changes->tree, &chain, item->id));
    return mp_value_text(text);
}

static void
add_row(struct mp_table *table, struct mp_changes *changes, const struct mp_changed *item)
{
    static const char *const words[] = {[MP_SAME] = "", [MP_NEW] = "new", [MP_GONE] = "gone",
                                        [MP_GROWN] = "grown", [MP_SHRUNK] = "shrunk"};
    const struct mp_profile *joined = changes->join->profile;
    struct mp_value *values = mp_table_add_item(table);

    fill(values, &item->cost, &item->other);
    if (changes->by == MP_BY_FUNCTION && item->id != MP_NO_ID)
        values[WITHIN] = signed_value(item->within.change);
    fill_short(values + SHORT, changes->join, item);
    values[BECAME] = mp_value_text(words[item->became]);
    if (changes->by == MP_BY_SIZE && item->id < MP_BINS && joined->bins[item->id].n_types > 0)
        values[TYPES] = mp_value_names(joined->types + joined->bins[item->id].first_type,
                                       joined->bins[item->id].n_types);
    values[NAME] = name_of(changes, item, table);
}

/* Adds a row that sums up N items and is called NAME. */
static struct mp_value *
add_others(struct mp_table *table, const struct mp_difference sums[2], uint64_t n, const char *name)
{
    struct mp_table_row *row = mp_table_add(table);

    row->is = MP_ROW_REST;
    row->n = n;
    fill(row->values, &sums[0], &sums[1]);
    row->values[NAME] = mp_value_none(name);
    return row->values;
}

/* A difference of 0, for sums. Sums of rows carry no information on certainty. */
#define NOTHING {.certain = true}

static void
add_up(struct mp_difference *sum, const struct mp_difference *more)
{
    sum->before = mp_plus_signed(sum->before, more->before);
    sum->after = mp_plus_signed(sum->after, more->after);
    sum->change = mp_plus_signed(sum->change, more->change);
    sum->unknown |= more->unknown;
}

static void
add_sums(struct mp_difference sums[2], const struct mp_changed *item)
{
    add_up(&sums[0], &item->cost);
    add_up(&sums[1], &item->other);
}

/* Adds a row for the difference between the median of the whole and the sum of the medians of its parts. */
static void
add_medians(struct mp_table *table, const struct mp_changes *changes)
{
    struct mp_difference sums[2] = {NOTHING, NOTHING}, lack[2];
    const struct mp_difference *whole[2] = {&changes->total.cost, &changes->total.other};

    for (uint32_t i = 0; i < changes->n; i++)
        add_sums(sums, &changes->list[i]);
    for (int i = 0; i < 2; i++)
        lack[i] = (struct mp_difference){.before = whole[i]->before - sums[i].before,
                                         .after = whole[i]->after - sums[i].after,
                                         .change = whole[i]->change - sums[i].change,
                                         .unknown = whole[i]->unknown, .certain = true};
    if (lack[0].before == 0 && lack[0].after == 0 && lack[1].change == 0)
        return;
    add_others(table, lack, 0, "(medians of parts are not parts of the median)");
}

static void
add_same(struct mp_table *table, const struct mp_changes *changes)
{
    const uint32_t n = changes->n - changes->n_changed;
    struct mp_difference sums[2] = {NOTHING, NOTHING};

    if (n == 0)
        return;
    for (uint32_t i = changes->n_changed; i < changes->n; i++)
        add_sums(sums, &changes->list[i]);
    add_others(table, sums, n,
               mp_arena_printf(table->arena, "(%u %s as before)", (unsigned)n,
                               n == 1 ? table->kind->one : table->kind->many));
}

static void
add_total(struct mp_table *table, const struct mp_changes *changes)
{
    struct mp_value *values = mp_table_add_total(table);

    fill(values, &changes->total.cost, &changes->total.other);
    values[NAME] = mp_value_none("<TOTAL>");
}

struct mp_table *
mp_table_changes(struct mp_changes *changes, const struct mp_print_options *options)
{
    struct mp_table *table = mp_table_begin(&kinds[changes->by][mp_sort_is_blocks(changes->cost)], options);
    struct mp_difference left[2] = {NOTHING, NOTHING};
    uint64_t all = 0;
    uint32_t n_left = 0, shown = 0;

    if (changes->n == 0) {
        table->nothing = MP_PRINT_NOTHING;
        return table;
    }
    for (uint32_t i = 0; i < changes->n_changed; i++)
        all = mp_plus(all, mp_change_size(changes->list[i].cost.change));
    add_total(table, changes);
    for (uint32_t i = 0; i < changes->n_changed; i++) {
        const struct mp_changed *item = &changes->list[i];

        if (mp_print_room(options, shown) && mp_print_shows(options, mp_change_size(item->cost.change), all)) {
            add_row(table, changes, item);
            shown++;
            continue;
        }
        add_sums(left, item);
        n_left++;
    }
    add_same(table, changes);
    add_medians(table, changes);
    fill(mp_table_leave_out(table, n_left), &left[0], &left[1]);
    table->full = !mp_print_room(options, shown);
    return table;
}
