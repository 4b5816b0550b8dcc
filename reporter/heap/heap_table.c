/* SPDX-License-Identifier: MIT */
#include "heap_table.h"

#include <inttypes.h>
#include <string.h>

#include "reporter/base/columns.h"
#include "reporter/table/json_head.h"

static void
append(struct mp_heap_tables *tables, struct mp_table *table)
{
    tables->list = mp_arena_grow(tables->arena, tables->list, tables->n, &tables->room, sizeof(struct mp_table *));
    tables->list[tables->n++] = table;
}

void
mp_heap_tables_append(struct mp_heap_tables *to, const struct mp_heap_tables *from)
{
    for (uint32_t i = 0; i < from->n; i++)
        append(to, from->list[i]);
}

struct mp_table *
mp_heap_table_add(struct mp_heap_tables *tables, const char *name, const char *title,
                  const struct mp_table_column *columns, size_t n_columns)
{
    struct mp_table_column *copy = mp_arena_alloc(tables->arena, n_columns * sizeof *copy);
    struct mp_table_kind *kind = mp_arena_alloc(tables->arena, sizeof *kind);
    struct mp_table *table;

    memcpy(copy, columns, n_columns * sizeof *copy);
    *kind = (struct mp_table_kind){
        .key = name, .title = title, .columns = copy, .n_columns = n_columns, .grouped = true};
    table = mp_table_new_in(tables->arena, kind);
    append(tables, table);
    return table;
}

struct mp_value *
mp_heap_table_row(struct mp_heap_tables *tables, struct mp_table *table)
{
    if (tables->most == 0 || table->n_rows < tables->most)
        return mp_table_add_item(table);
    table->left_out.n++;
    return NULL;
}

void
mp_heap_put_share(struct mp_value *value, uint64_t bytes, uint64_t whole)
{
    value[0] = mp_value_number(bytes);
    value[1] = mp_value_share(bytes, whole);
}

void
mp_heap_tables_print(const struct mp_heap_tables *tables, const struct mp_print_options *options, FILE *out)
{
    for (uint32_t i = 0; i < tables->n; i++) {
        const struct mp_table *table = tables->list[i];

        fputc('\n', out);
        mp_columns_title(out, table->kind->title, options->color);
        mp_table_print_rows(table, options, out);
        if (table->left_out.n > 0)
            fprintf(out, "(%" PRIu64 " more)\n", table->left_out.n);
        if (table->n_rows == 0)
            fputs("(none)\n", out);
        if (table->note)
            fprintf(out, "%s\n", table->note);
    }
}

void
mp_heap_tables_json(const struct mp_heap_tables *tables, struct mp_json_out *to)
{
    struct mp_buffer *out = &to->buffer;

    mp_json_line(out);
    mp_json_key(out, "tables");
    mp_json_open(out, '[');
    for (uint32_t i = 0; i < tables->n; i++) {
        const struct mp_table *table = tables->list[i];

        mp_json_line(out);
        mp_json_open(out, '{');
        mp_json_key_text(out, "name", table->kind->key);
        mp_json_key_text(out, "title", table->kind->title);
        mp_json_key_number(out, "left_out", table->left_out.n);
        mp_json_rows(to, table);
        mp_json_close(out, '}');
    }
    mp_json_close(out, ']');
}
