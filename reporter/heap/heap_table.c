#include "heap_table.h"

#include <stdlib.h>

#include "reporter/base/columns.h"
#include "reporter/base/format_number.h"

#define MOST_COLUMNS 10u

struct mp_heap_table *
mp_heap_table_add(struct mp_heap_tables *tables, const char *name, const char *title,
                  const struct mp_heap_column *columns, size_t n_columns, uint64_t whole)
{
    struct mp_heap_table *table = mp_arena_alloc(tables->arena, sizeof *table);

    *table = (struct mp_heap_table){.name = name, .title = title, .columns = columns,
                                    .n_columns = (uint32_t)n_columns, .whole = whole};
    if (tables->last)
        tables->last->next = table;
    else
        tables->first = table;
    tables->last = table;
    return table;
}

void
mp_heap_tables_append(struct mp_heap_tables *to, const struct mp_heap_tables *from)
{
    if (!from->first)
        return;
    if (to->last)
        to->last->next = from->first;
    else
        to->first = from->first;
    to->last = from->last;
}

struct mp_heap_value *
mp_heap_table_row(struct mp_heap_tables *tables, struct mp_heap_table *table)
{
    struct mp_heap_value *row;

    if (tables->most > 0 && table->n_rows >= tables->most) {
        table->left_out++;
        return NULL;
    }
    table->values = mp_arena_grow(tables->arena, table->values, table->n_rows, &table->room,
                                  table->n_columns * sizeof *table->values);
    row = table->values + (size_t)table->n_columns * table->n_rows++;
    for (uint32_t i = 0; i < table->n_columns; i++)
        row[i] = (struct mp_heap_value){.text = ""};
    return row;
}

/* ------------------------------------------------------------------- text */

static const char *
signed_text(uint64_t number, char out[static MP_NUMBER_SIZE + 2])
{
    int64_t value = (int64_t)number;

    out[0] = value > 0 ? '+' : value < 0 ? '-' : ' ';
    mp_number_grouped(value < 0 ? -number : number, out + 1);
    return value == 0 ? out + 1 : out;
}

static const char *
cell_text(const struct mp_heap_table *table, const struct mp_heap_value *row, uint32_t column,
          char out[static MP_NUMBER_SIZE + 2])
{
    const struct mp_heap_value *value = &row[column];

    switch (table->columns[column].kind) {
    case MP_VALUE_NUMBER:
        return mp_number_grouped(value->number, out);
    case MP_VALUE_SIGNED:
        return signed_text(value->number, out);
    case MP_VALUE_TENTHS:
        snprintf(out, MP_NUMBER_SIZE, "%llu.%llu", (unsigned long long)(value->number / 10),
                 (unsigned long long)(value->number % 10));
        return out;
    case MP_VALUE_SHARE:
        return mp_number_tenths(row[column - 1].number, table->whole, out);
    case MP_VALUE_ADDRESS:
        if (value->number == 0)
            return "";
        snprintf(out, MP_NUMBER_SIZE, "0x%llx", (unsigned long long)value->number);
        return out;
    default:
        return value->text;
    }
}

static void
print_table(const struct mp_heap_table *table, const struct mp_heap_look *look, FILE *out)
{
    struct mp_column columns[MOST_COLUMNS];
    char room[MOST_COLUMNS][MP_NUMBER_SIZE + 2];
    const char *cells[MOST_COLUMNS];
    struct mp_columns *text;

    for (uint32_t i = 0; i < table->n_columns; i++) {
        enum mp_heap_value_kind kind = table->columns[i].kind;

        columns[i] = (struct mp_column){table->columns[i].title, kind == MP_VALUE_TEXT || kind == MP_VALUE_WORD
                                                                     ? MP_LEFT : MP_RIGHT};
    }
    mp_columns_title(out, table->title, look->color);
    text = mp_columns_new(columns, table->n_columns, look->width);
    mp_columns_cut(text, look->ellipsis);
    for (uint32_t row = 0; row < table->n_rows; row++) {
        for (uint32_t i = 0; i < table->n_columns; i++)
            cells[i] = cell_text(table, table->values + (size_t)row * table->n_columns, i, room[i]);
        mp_columns_row(text, cells);
    }
    mp_columns_print(text, out);
    if (table->left_out > 0)
        fprintf(out, "(%u more)\n", table->left_out);
    if (table->n_rows == 0)
        fputs("(none)\n", out);
    if (table->note)
        fprintf(out, "%s\n", table->note);
}

void
mp_heap_tables_print(const struct mp_heap_tables *tables, const struct mp_heap_look *look, FILE *out)
{
    for (const struct mp_heap_table *table = tables->first; table; table = table->next) {
        fputc('\n', out);
        print_table(table, look, out);
    }
}

/* ------------------------------------------------------------------- JSON */

static void
put_value(struct mp_buffer *out, enum mp_heap_value_kind kind, const struct mp_heap_value *value)
{
    char text[MP_NUMBER_SIZE];

    switch (kind) {
    case MP_VALUE_NUMBER:
    case MP_VALUE_TENTHS:
        mp_json_number(out, value->number);
        break;
    case MP_VALUE_SIGNED:
        mp_json_signed(out, (int64_t)value->number);
        break;
    case MP_VALUE_ADDRESS:
        snprintf(text, sizeof text, "0x%llx", (unsigned long long)value->number);
        mp_json_text(out, text);
        break;
    default:
        mp_json_text(out, value->text);
    }
}

static void
put_table(const struct mp_heap_table *table, struct mp_json_out *to)
{
    struct mp_buffer *out = &to->buffer;

    mp_json_line(out);
    mp_json_open(out, '{');
    mp_json_key_text(out, "name", table->name);
    mp_json_key_text(out, "title", table->title);
    mp_json_key_number(out, "left_out", table->left_out);
    mp_json_key(out, "rows");
    mp_json_open(out, '[');
    for (uint32_t row = 0; row < table->n_rows; row++) {
        mp_json_line(out);
        mp_json_open(out, '{');
        for (uint32_t i = 0; i < table->n_columns; i++) {
            if (table->columns[i].kind == MP_VALUE_SHARE)
                continue;
            mp_json_key(out, table->columns[i].key);
            put_value(out, table->columns[i].kind, &table->values[(size_t)row * table->n_columns + i]);
        }
        mp_json_close(out, '}');
        mp_json_piece(to);
    }
    mp_json_close(out, ']');
    mp_json_close(out, '}');
}

void
mp_heap_tables_json(const struct mp_heap_tables *tables, struct mp_json_out *to)
{
    mp_json_line(&to->buffer);
    mp_json_key(&to->buffer, "tables");
    mp_json_open(&to->buffer, '[');
    for (const struct mp_heap_table *table = tables->first; table; table = table->next)
        put_table(table, to);
    mp_json_close(&to->buffer, ']');
}
