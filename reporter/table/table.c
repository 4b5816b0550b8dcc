/* SPDX-License-Identifier: MIT */
#include "table.h"

#include "reporter/view/sort.h"

struct mp_table *
mp_table_new_in(struct mp_arena *arena, const struct mp_table_kind *kind)
{
    struct mp_table *table = mp_arena_alloc(arena, sizeof *table);

    table->kind = kind;
    table->collections = MP_NO_COLLECTIONS;
    table->arena = arena;
    return table;
}

struct mp_table *
mp_table_new(const struct mp_table_kind *kind)
{
    return mp_table_new_in(mp_arena_new(), kind);
}

struct mp_table *
mp_table_begin(const struct mp_table_kind *kind, const struct mp_print_options *options)
{
    struct mp_table *table = mp_table_new(kind);

    table->permille = mp_print_threshold(options);
    table->least = options->least;
    table->least_blocks = mp_sort_is_blocks(options->sort);
    table->sort = options->sort;
    table->no_temporary = options->no_temporary;
    table->moment = options->moment;
    table->growth = options->growth;
    table->calls = options->calls;
    return table;
}

void
mp_table_free(struct mp_table *table)
{
    if (table)
        mp_arena_free(table->arena);
}

static struct mp_value *
new_values(struct mp_table *table)
{
    return mp_arena_alloc(table->arena, table->kind->n_columns * sizeof(struct mp_value));
}

struct mp_table_row *
mp_table_add(struct mp_table *table)
{
    struct mp_table_row *row;

    table->rows = mp_arena_grow(table->arena, table->rows, table->n_rows, &table->room,
                                sizeof *table->rows);
    row = &table->rows[table->n_rows++];
    row->under = MP_NO_ID;
    row->values = new_values(table);
    return row;
}

struct mp_value *
mp_table_add_item(struct mp_table *table)
{
    return mp_table_add(table)->values;
}

struct mp_value *
mp_table_add_total(struct mp_table *table)
{
    struct mp_table_row *row = mp_table_add(table);

    row->is = MP_ROW_TOTAL;
    return row->values;
}

struct mp_value *
mp_table_leave_out(struct mp_table *table, uint64_t n)
{
    table->left_out = (struct mp_table_row){
        .is = MP_ROW_REST, .n = n, .under = MP_NO_ID, .values = new_values(table)};
    return table->left_out.values;
}

/* ---------------------------------------------------------------- figures */

/* Returns the sort order by the figure of COLUMN, or MP_SORTS if there is none. */
static enum mp_sort
sort_of(const struct mp_table_column *column)
{
    enum mp_sort sort = 0;

    while (sort < MP_SORTS && mp_sorts[sort].figure + 1 != column->figure)
        sort++;
    return sort;
}

/* Returns whether a column with MP_LAYOUT_SORTED, for SORT, has values. A window has no peak, and may have no temporary
 * blocks. The figure that the rows are sorted by is always known. */
static bool
is_extra(const struct mp_table *table, enum mp_sort sort)
{
    for (size_t i = 0; sort == MP_SORT_KEPT && i < table->kind->n_columns; i++) {
        const struct mp_table_column *column = &table->kind->columns[i];

        if (column->unit == MP_UNIT_PERCENT && !(column->layout & MP_LAYOUT_SORTED) && sort_of(column) == sort)
            return false;
    }
    return mp_sorts[sort].by_size || sort == table->sort ||
           (!table->by_size && !table->moment && (sort == MP_SORT_TEMPORARY ? !table->no_temporary : !table->growth));
}

void
mp_table_fill(const struct mp_table *table, struct mp_value *values, const struct mp_counts *counts,
              const struct mp_counts *whole)
{
    for (size_t i = 0; i < table->kind->n_columns; i++) {
        const struct mp_table_column *column = &table->kind->columns[i];
        const enum mp_sort sort = sort_of(column);
        const bool sorted = column->layout & MP_LAYOUT_SORTED;

        if (column->figure == 0 || column->unit == MP_UNIT_PARTS || (sorted && !is_extra(table, sort)))
            continue;
        values[i] = column->unit == MP_UNIT_PERCENT
                        ? mp_value_share(mp_counts_key(counts, sort), mp_counts_key(whole, sort))
                        : mp_value_figure(counts, column->figure - 1);
        values[i].blank = sorted && sort != table->sort;
    }
}

bool
mp_table_lacks_blocks(const struct mp_table *table, const struct mp_profile *view)
{
    return mp_is_unknown(view, table->moment ? MP_FIGURE_KEPT_BLOCKS : MP_FIGURE_ALLOCS);
}

/* Returns whether VIEW lacks the figure of COLUMN. It never lacks bytes: each profile has those that were allocated, or
 * those that were alive. Parts by size or type also need blocks. */
static bool
is_lacking(const struct mp_table *table, const struct mp_table_column *column, const struct mp_profile *view)
{
    const bool blocks = column->figure == MP_FIGURE_ALLOCS + 1, bytes = column->figure == MP_FIGURE_BYTES + 1;

    if ((column->unit == MP_UNIT_PARTS || blocks) && mp_table_lacks_blocks(table, view))
        return true;
    return column->figure != 0 && !blocks && !bytes && mp_is_unknown(view, column->figure - 1);
}

void
mp_table_forget(struct mp_table *table, const struct mp_profile *view)
{
    const struct mp_table_kind *kind = table->kind;
    bool *lacking;

    if (view->meta.unknown == 0)
        return;
    table->lacking = lacking = mp_arena_alloc(table->arena, kind->n_columns * sizeof *lacking);
    for (size_t i = 0; i < kind->n_columns; i++) {
        lacking[i] = is_lacking(table, &kind->columns[i], view);
        for (uint32_t row = 0; lacking[i] && row < table->n_rows; row++)
            table->rows[row].values[i] = (struct mp_value){0};
        if (lacking[i] && table->left_out.n > 0)
            table->left_out.values[i] = (struct mp_value){0};
    }
}
