/* SPDX-License-Identifier: MIT */
/*
 * heap_table.h -- the tables of mprof heap, and their output as text or JSON.
 *
 * They are tables of reporter/table/table.h, but have no explanations. Each file that fills a table defines its
 * columns.
 */
#ifndef MP_HEAP_HEAP_TABLE_H
#define MP_HEAP_HEAP_TABLE_H

#include "reporter/table/table.h"

struct mp_heap_tables {
    struct mp_arena *arena;     /* owns the tables and their texts */
    struct mp_table **list;
    uint32_t n, room;
    uint32_t most;              /* maximum rows of each table; 0 if unlimited */
};

/* Moves all tables of FROM to the end of TO. Both must use the same arena. */
void mp_heap_tables_append(struct mp_heap_tables *to, const struct mp_heap_tables *from);

/* A column that only text has, for the share of the column before it. */
#define MP_HEAP_SHARE {NULL, "%", MP_UNIT_PERCENT, NULL, MP_LAYOUT_TENTHS}

#define MP_HEAP_COLUMNS(columns) (columns), sizeof(columns) / sizeof *(columns)

/* Adds an empty table with a copy of COLUMNS. NAME is its name in JSON. */
struct mp_table *mp_heap_table_add(struct mp_heap_tables *tables, const char *name, const char *title,
                                   const struct mp_table_column *columns, size_t n_columns);

/* Returns a new row. If the table is full, counts the row as left out and returns NULL. */
struct mp_value *mp_heap_table_row(struct mp_heap_tables *tables, struct mp_table *table);

/* Sets *VALUE to BYTES, and the value after it to their share of WHOLE. */
void mp_heap_put_share(struct mp_value *value, uint64_t bytes, uint64_t whole);

void mp_heap_tables_print(const struct mp_heap_tables *tables, const struct mp_print_options *options, FILE *out);

/* Writes the tables as the member "tables" of a JSON object. */
void mp_heap_tables_json(const struct mp_heap_tables *tables, struct mp_json_out *out);

#endif
