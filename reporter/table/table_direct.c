/* SPDX-License-Identifier: MIT */
#include "tables.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/base/search.h"

enum {
    PERCENT, BYTES, PARTS, KEPT, KEPT_PARTS, CALLS, SORTED, NAME = SORTED + MP_SORTED_COLUMNS,
    N_COLUMNS
};

static const struct mp_table_column columns[N_COLUMNS] = {
    [PERCENT] = {"bytes_share", "% mem", MP_UNIT_PERCENT,
                 "Share of all bytes that the function itself allocated.", MP_LAYOUT_TENTHS, MP_OF(BYTES)},
    [BYTES] = {"bytes", "bytes", MP_UNIT_BYTES, "Bytes that the function itself allocated.", MP_OF(BYTES)},
    [PARTS] = {"bytes_parts", "% mem(%s)", MP_UNIT_PARTS,
               "The same by size or type of the objects, as shares of all bytes.", MP_LAYOUT_BAR},
    [KEPT] = MP_COLUMN_KEPT_BYTES(MP_LAYOUT_AFTER),
    [KEPT_PARTS] = {"kept_parts", "% all kept", MP_UNIT_PARTS,
                    "The same by size or type of the objects, as shares of all bytes kept.",
                    MP_LAYOUT_BAR | MP_LAYOUT_AFTER | MP_LAYOUT_KEPT_SHARE, MP_OF(KEPT)},
    [CALLS] = {"calls", "calls", MP_UNIT_BLOCKS,
               "Blocks or objects that the function itself allocated.", MP_OF(ALLOCS)},
    MP_SORTED_COLUMNS_AT(SORTED),
    [NAME] = {"function", "name", MP_UNIT_FUNCTION, "The function."},
};

static const struct mp_table_said said[] = {
    {PERCENT, "%s byte", "%s bytes"},
    {CALLS, "%s call", "%s calls"},
    MP_SORTED_SAID_AT(SORTED),
};

const struct mp_table_kind mp_table_direct_kind = {
    .key = "direct", .title = "TABLE 3: DIRECT ALLOCATION", .one = "function", .many = "functions",
    .explanation = "The functions that allocate, what they allocate and what they keep.",
    .columns = columns, .n_columns = N_COLUMNS,
    .said = said, .n_said = sizeof said / sizeof *said,
};

struct direct {
    const struct mp_reduced *reduced;
    const struct mp_print_options *options;
    uint32_t *order;            /* functions in the order of display */
    uint64_t bytes, kept;       /* of the whole program */
    struct mp_counts all;
};

/* Returns the figure that rows are sorted by. */
static uint64_t
key_of(enum mp_sort sort, const struct mp_sums *sums)
{
    const struct mp_counts counts = mp_sums_counts(sums);

    return mp_counts_key(&counts, sort);
}

static const struct mp_sums *
self_of(const struct direct *t, uint32_t function)
{
    return &t->reduced->graph->nodes[function].self;
}

static int
compare_rows(const void *a, const void *b, void *data)
{
    const struct direct *t = data;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    uint64_t left = key_of(t->options->sort, self_of(t, x));
    uint64_t right = key_of(t->options->sort, self_of(t, y));

    if (left != right)
        return mp_order(right, left);
    return strcmp(t->reduced->profile->functions[x].text, t->reduced->profile->functions[y].text);
}

static void
fill(const struct mp_table *table, const struct direct *t, struct mp_value values[static N_COLUMNS],
     const struct mp_sums *sums)
{
    const struct mp_counts counts = mp_sums_counts(sums);

    mp_table_fill(table, values, &counts, &t->all);
    values[PARTS] = mp_value_parts(sums->bytes, t->bytes);
    values[KEPT_PARTS] = mp_value_parts(sums->kept, t->kept);
}

/* Adds rows up to the first function below the threshold. Functions are sorted by the chosen figure, largest first.
 * Returns the number of rows. */
static uint32_t
add_functions(const struct direct *t, struct mp_table *table)
{
    const struct mp_reduced *r = t->reduced;
    uint64_t whole = key_of(t->options->sort, &r->graph->total);
    uint32_t i;

    for (i = 0; i < r->n_direct && mp_print_room(t->options, i); i++) {
        const struct mp_sums *self = self_of(t, t->order[i]);
        struct mp_value *values;

        if (!mp_print_shows(t->options, key_of(t->options->sort, self), whole))
            break;
        values = mp_table_add_item(table);
        fill(table, t, values, self);
        values[NAME] = mp_value_function(r->profile, t->order[i]);
    }
    return i;
}

static void
leave_out(const struct direct *t, struct mp_table *table, uint32_t shown)
{
    struct mp_sums *left = mp_arena_alloc(table->arena, sizeof *left);

    for (uint32_t i = shown; i < t->reduced->n_direct; i++)
        mp_sums_add(left, self_of(t, t->order[i]));
    fill(table, t, mp_table_leave_out(table, t->reduced->n_direct - shown), left);
    table->full = !mp_print_room(t->options, shown);
}

static void
sort_functions(struct direct *t, struct mp_arena *arena)
{
    const struct mp_reduced *r = t->reduced;
    size_t size = r->n_direct * sizeof *t->order;

    t->order = mp_arena_alloc(arena, size);
    if (size > 0)
        memcpy(t->order, r->direct, size);
    if (t->options->sort != MP_SORT_BYTES)
        qsort_r(t->order, r->n_direct, sizeof *t->order, compare_rows, t);
}

struct mp_table *
mp_table_direct(const struct mp_table_request *request)
{
    struct mp_table *table = mp_table_begin(&mp_table_direct_kind, request->options);
    const struct mp_sums *total = &request->graph->total;
    struct direct t = {
        .reduced = request->reduced, .options = request->options,
        .bytes = mp_sums_bytes(total), .kept = mp_sums_kept(total),
        .all = mp_sums_counts(total),
    };
    struct mp_value *values;

    table->breakdown = request->graph->style;
    if (!mp_sums_any(total)) {
        table->nothing = mp_table_nothing(request);
        return table;
    }
    sort_functions(&t, table->arena);
    values = mp_table_add_total(table);
    fill(table, &t, values, total);
    values[PERCENT] = (struct mp_value){0};
    values[NAME] = mp_value_none("<TOTAL>");
    leave_out(&t, table, add_functions(&t, table));
    return table;
}
