#include "table.h"

#include <string.h>

#include "reporter/profile/sort.h"

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

/* ---------------------------------------------------------------- figures that a profile lacks */

bool
mp_table_lacks_blocks(const struct mp_table *table, const struct mp_profile *view)
{
    return mp_is_unknown(view, table->moment ? MP_FIGURE_KEPT_BLOCKS : MP_FIGURE_ALLOCS);
}

/* Returns whether VIEW lacks the figure of COLUMN. It never lacks bytes: each profile has those that were allocated, or
 * those that were alive. */
static bool
is_lacking(const struct mp_table *table, const struct mp_table_column *column, const struct mp_profile *view)
{
    static const char *const of_blocks[] = {"allocs", "allocs_part", "objects", "calls", "called", "total"};
    static const struct {
        const char *key;
        enum mp_figure figure;
    } of[] = {
        {"frees", MP_FIGURE_FREES},             {"freed_bytes", MP_FIGURE_FREED},
        {"kept", MP_FIGURE_KEPT_BLOCKS},        {"kept_bytes", MP_FIGURE_KEPT},
        {"kept_share", MP_FIGURE_KEPT},         {"kept_part", MP_FIGURE_KEPT},
        {"kept_parts", MP_FIGURE_KEPT},         {"peak_bytes", MP_FIGURE_PEAK_BYTES},
        {"peak_part", MP_FIGURE_PEAK_BYTES},    {"temporary", MP_FIGURE_TEMPORARY},
        {"temporary_part", MP_FIGURE_TEMPORARY}};

    for (size_t i = 0; i < sizeof of_blocks / sizeof *of_blocks; i++)
        if (strcmp(of_blocks[i], column->key) == 0)
            return mp_table_lacks_blocks(table, view);
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (strcmp(of[i].key, column->key) == 0 && mp_is_unknown(view, of[i].figure))
            return true;
    return column->unit == MP_UNIT_PARTS && mp_table_lacks_blocks(table, view);
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
