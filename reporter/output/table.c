#include "table.h"

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
