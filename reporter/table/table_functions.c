/* SPDX-License-Identifier: MIT */
#include "tables.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/base/search.h"
#include "reporter/graph/charge.h"

enum { BYTES, PERCENT, OBJECTS, KEPT, SORTED, FIGURES = SORTED + MP_SORTED_COLUMNS };
enum { WITHIN = FIGURES, WITHIN_PERCENT, FLAT_NAME, FLAT_COLUMNS };
enum { TYPE = FIGURES, TYPES_NAME, TYPES_COLUMNS };

#define FIGURE_COLUMNS                                                                            \
    [BYTES] = {"bytes", "bytes", MP_UNIT_BYTES, "Bytes that are charged to the function.", MP_OF(BYTES)}, \
    [PERCENT] = MP_COLUMN_BYTES_SHARE,                                                            \
    [OBJECTS] = {"objects", "objects", MP_UNIT_BLOCKS,                                            \
                 "Blocks or objects that are charged to the function.", MP_OF(ALLOCS)},           \
    [KEPT] = MP_COLUMN_KEPT_BYTES(MP_LAYOUT_AFTER),                                               \
    MP_SORTED_COLUMNS_AT(SORTED)

static const struct mp_table_column flat_columns[FLAT_COLUMNS] = {
    FIGURE_COLUMNS,
    [WITHIN] = {"within_bytes", "with callees", MP_UNIT_BYTES,
                "Bytes that were allocated while the function ran, by it or by what it called."},
    [WITHIN_PERCENT] = {"within_share", "(%)", MP_UNIT_PERCENT, "Their share of all bytes."},
    [FLAT_NAME] = {"function", "function", MP_UNIT_FUNCTION, "The function."},
};

static const struct mp_table_column types_columns[TYPES_COLUMNS] = {
    FIGURE_COLUMNS,
    [TYPE] = MP_COLUMN_TYPE,
    [TYPES_NAME] = {"function", "function", MP_UNIT_FUNCTION, "The function."},
};

static const struct mp_table_said said[] = {
    {BYTES, "%s byte", "%s bytes"},
    {OBJECTS, "%s object", "%s objects"},
    MP_SORTED_SAID_AT(SORTED),
};

const struct mp_table_kind mp_table_flat_kind = {
    .key = "flat", .title = "TABLE 7: ALLOCATION BY FUNCTION", .one = "function",
    .many = "functions",
    .explanation = "Functions by what is charged to them, and by what was allocated while they ran.",
    .columns = flat_columns, .n_columns = FLAT_COLUMNS,
    .said = said, .n_said = sizeof said / sizeof *said,
};

const struct mp_table_kind mp_table_function_types_kind = {
    .key = "function-types", .title = "TABLE 8: ALLOCATION BY FUNCTION AND TYPE", .one = "row",
    .many = "rows",
    .explanation = "Functions and types of objects by what is charged to them.",
    .columns = types_columns, .n_columns = TYPES_COLUMNS,
    .said = said, .n_said = sizeof said / sizeof *said,
};

static struct mp_counts
within(const struct mp_graph *graph, uint32_t function)
{
    return mp_sums_counts(&graph->nodes[function].inclusive);
}

/* Functions with the same sum are usually on one chain, so those that allocated least come first: the callers. */
static int
by_within(const void *a, const void *b, void *data)
{
    const struct mp_table_request *request = data;
    const struct mp_charge *x = a, *y = b;
    const uint64_t left = within(request->graph, x->function).bytes, right = within(request->graph, y->function).bytes;

    if (left != right)
        return mp_order(right, left);
    if (x->counts.bytes != y->counts.bytes)
        return mp_order(x->counts.bytes, y->counts.bytes);
    return strcmp(request->profile->functions[x->function].text, request->profile->functions[y->function].text);
}

/* Returns whether functions are sorted by what was allocated while they ran. */
static bool
is_by_within(const struct mp_table_request *request, const struct mp_table_kind *kind)
{
    return kind == &mp_table_flat_kind && request->options->with_callees;
}

static bool
is_shown(const struct mp_table_request *request, const struct mp_table_kind *kind, const struct mp_charges *charges,
         uint32_t i)
{
    const struct mp_print_options *options = request->options;

    if (i >= charges->n || !mp_print_room(options, i))
        return false;
    if (is_by_within(request, kind)) {
        const uint64_t bytes = within(request->graph, charges->list[i].function).bytes;

        return bytes > 0 && mp_print_shows(options, bytes, charges->total.bytes);
    }
    return mp_print_shows(options, mp_print_key(options, &charges->list[i].counts),
                          mp_print_key(options, &charges->total));
}

/* Sets the name of a function and what was allocated while it ran. */
static void
fill_flat(struct mp_value values[static FLAT_COLUMNS], const struct mp_counts *inside, uint64_t all,
          struct mp_value name)
{
    values[WITHIN] = mp_value_figure(inside, MP_FIGURE_BYTES);
    values[WITHIN_PERCENT] = mp_value_share(inside->bytes, all);
    values[FLAT_NAME] = name;
}

static void
add_total(struct mp_table *table, const struct mp_counts *total)
{
    struct mp_value *values = mp_table_add_total(table);

    mp_table_fill(table, values, total, total);
    if (table->kind == &mp_table_flat_kind)
        fill_flat(values, total, total->bytes, mp_value_none("<TOTAL>"));
    else
        values[TYPES_NAME] = mp_value_none("<TOTAL>");
}

static void
add_row(const struct mp_table_request *request, struct mp_table *table,
        const struct mp_charge *charge, const struct mp_counts *all)
{
    const struct mp_object_kind *kind = mp_profile_kind(request->profile, charge->kind);
    const struct mp_value name = mp_value_function(request->profile, charge->function);
    struct mp_value *values = mp_table_add_item(table);

    mp_table_fill(table, values, &charge->counts, all);
    if (table->kind == &mp_table_flat_kind) {
        const struct mp_counts inside = within(request->graph, charge->function);

        fill_flat(values, &inside, all->bytes, name);
        return;
    }
    values[TYPE] = mp_value_text(kind ? kind->name : "malloc");
    values[TYPES_NAME] = name;
}

static struct mp_table *
compute(const struct mp_table_request *request, const struct mp_table_kind *kind)
{
    const struct mp_print_options *options = request->options;
    const struct mp_charge_options wanted = {.by_kind = kind != &mp_table_flat_kind, .raw = request->raw,
                                             .callers = is_by_within(request, kind), .sort = options->sort};
    struct mp_table *table = mp_table_begin(kind, options);
    const struct mp_charges charges = mp_charge(request->profile, &wanted, table->arena);
    struct mp_counts rest = {0};
    uint32_t shown = 0;

    if (charges.n == 0) {
        table->nothing = mp_table_nothing(request);
        return table;
    }
    if (wanted.callers)
        qsort_r(charges.list, charges.n, sizeof *charges.list, by_within, (void *)(uintptr_t)request);
    add_total(table, &charges.total);
    for (; is_shown(request, kind, &charges, shown); shown++)
        add_row(request, table, &charges.list[shown], &charges.total);
    for (uint32_t i = shown; i < charges.n; i++)
        mp_counts_add(&rest, &charges.list[i].counts);
    mp_table_fill(table, mp_table_leave_out(table, charges.n - shown), &rest, &charges.total);
    table->full = !mp_print_room(options, shown);
    return table;
}

struct mp_table *
mp_table_flat(const struct mp_table_request *request)
{
    return compute(request, &mp_table_flat_kind);
}

struct mp_table *
mp_table_function_types(const struct mp_table_request *request)
{
    return compute(request, &mp_table_function_types_kind);
}
