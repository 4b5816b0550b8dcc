/*
 * heap_table.h -- tables of values that mprof heap shows, and their output as text or JSON.
 */
#ifndef MP_HEAP_HEAP_TABLE_H
#define MP_HEAP_HEAP_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "reporter/base/arena.h"
#include "reporter/base/error.h"
#include "reporter/output/json_head.h"

enum mp_heap_value_kind {
    MP_VALUE_TEXT,              /* takes the rest of the line */
    MP_VALUE_WORD,              /* a short text */
    MP_VALUE_NUMBER,
    MP_VALUE_SIGNED,
    MP_VALUE_TENTHS,            /* a number in tenths */
    MP_VALUE_SHARE,             /* share of the column before it in `whole`; text output only */
    MP_VALUE_ADDRESS
};

struct mp_heap_column {
    const char *key;            /* name in JSON */
    const char *title;
    enum mp_heap_value_kind kind;
};

struct mp_heap_value {
    const char *text;           /* for texts and words */
    uint64_t number;
};

struct mp_heap_table {
    const char *name, *title;
    const char *note;           /* a sentence below the table, or NULL */
    const struct mp_heap_column *columns;
    uint32_t n_columns;
    uint64_t whole;             /* the value that is 100 % in shares */
    struct mp_heap_value *values;       /* row by row */
    uint32_t n_rows, room;
    uint32_t left_out;          /* number of rows omitted because of --max */
    struct mp_heap_table *next;
};

struct mp_heap_tables {
    struct mp_arena *arena;     /* owns the tables */
    struct mp_heap_table *first, *last;
    uint32_t most;              /* maximum rows of each table; 0 if unlimited */
};

/* Moves all tables of FROM to the end of TO. Both must use the same arena. */
void mp_heap_tables_append(struct mp_heap_tables *to, const struct mp_heap_tables *from);

#define MP_HEAP_COLUMNS(columns) (columns), sizeof(columns) / sizeof *(columns)

struct mp_heap_table *mp_heap_table_add(struct mp_heap_tables *tables, const char *name, const char *title,
                                        const struct mp_heap_column *columns, size_t n_columns, uint64_t whole);

/* Returns a new row with empty values. If the table is full, counts the row as left out and returns NULL. */
struct mp_heap_value *mp_heap_table_row(struct mp_heap_tables *tables, struct mp_heap_table *table);

struct mp_heap_look {
    unsigned width;             /* columns of the terminal; 0: unlimited */
    const char *ellipsis;
    bool color;
};
void mp_heap_tables_print(const struct mp_heap_tables *tables, const struct mp_heap_look *look, FILE *out);

/* Writes the tables as the member "tables" of a JSON object. */
void mp_heap_tables_json(const struct mp_heap_tables *tables, struct mp_json_out *out);

#endif
