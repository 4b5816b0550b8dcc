/* SPDX-License-Identifier: MIT */
/*
 * Writes the statements that create a table of a database engine for the rows of csv or ndjson. The key of the table is
 * the recording and the row's number in the recording. So if a row is loaded again, the engine ignores it or replaces
 * the old row.
 */
#include "flat_columns.h"

#define TABLE "allocations"

enum comments {
    COMMENTS_INLINE,            /* COMMENT 'text' after the type */
    COMMENTS_DASHES,            /* -- text at the end of the line */
    COMMENTS_STATEMENTS         /* COMMENT ON COLUMN after the table */
};

struct engine {
    const char *name;
    const char *types[MP_FLAT_TYPES];   /* of columns of csv */
    const char *ndjson[MP_FLAT_TYPES];  /* of columns of ndjson, where they differ */
    bool nullable;              /* Nullable(...) marks types with unknown values, not NOT NULL the others */
    enum comments comments;
    const char *key;            /* last line between the parentheses, or "" */
    const char *end;            /* what follows the closing parenthesis */
};

#define TYPES(text, number, figure, truth) \
    {[MP_FLAT_TEXT] = text, [MP_FLAT_NUMBER] = number, [MP_FLAT_FIGURE] = figure, [MP_FLAT_TRUTH] = truth, \
     [MP_FLAT_NUMBERS] = text, [MP_FLAT_LABELS] = text}
#define IN_NDJSON(truth, numbers, labels, json) \
    {[MP_FLAT_TRUTH] = truth, \
     [MP_FLAT_NUMBERS] = numbers, [MP_FLAT_LABELS] = labels, [MP_FLAT_FRAMES] = json, [MP_FLAT_ESTIMATES] = json}
#define PRIMARY_KEY "    PRIMARY KEY (run, number)\n"

static const struct engine engines[] = {
    {"clickhouse", TYPES("String", "UInt64", "Int64", "Enum8('false' = 0, 'true' = 1)"),
     IN_NDJSON("Bool", "Array(UInt64)", "Map(String, String)", "String"), true, COMMENTS_INLINE, "",
     "\nENGINE = ReplacingMergeTree()\nPARTITION BY toYYYYMM(toDateTime(intDiv(ifNull(started_ns, 0), 1000000000)))\n"
     "ORDER BY (run, number)"},
    {"duckdb", TYPES("VARCHAR", "UBIGINT", "BIGINT", "BOOLEAN"),
     IN_NDJSON(NULL, "UBIGINT[]", "MAP(VARCHAR, VARCHAR)", "JSON"),
     false, COMMENTS_STATEMENTS, PRIMARY_KEY, ""},
    {"postgres", TYPES("text", "bigint", "bigint", "boolean"), IN_NDJSON(NULL, "bigint[]", "jsonb", "jsonb"),
     false, COMMENTS_STATEMENTS, PRIMARY_KEY, ""},
    {"sqlite", TYPES("TEXT", "INTEGER", "INTEGER", "TEXT"), IN_NDJSON("INTEGER", "TEXT", "TEXT", "TEXT"),
     false, COMMENTS_DASHES, PRIMARY_KEY, ""},
};

const char *
mp_export_engine(unsigned i)
{
    return i < sizeof engines / sizeof *engines ? engines[i].name : NULL;
}

static bool
has(enum mp_flat flat, const struct mp_flat_column *column)
{
    return flat == MP_FLAT_CSV ? column->csv : column->ndjson;
}

static void
put_column(const struct engine *engine, enum mp_flat flat, const struct mp_flat_column *column, bool last, FILE *out)
{
    const bool list = flat == MP_FLAT_NDJSON && column->type >= MP_FLAT_NUMBERS;
    const char *special = flat == MP_FLAT_NDJSON ? engine->ndjson[column->type] : NULL;
    const char *type = special ? special : engine->types[column->type];

    fprintf(out, "    %s ", column->name);
    if (engine->nullable && column->maybe && !list)
        fprintf(out, "Nullable(%s)", type);
    else
        fputs(type, out);
    if (!engine->nullable && !column->maybe)
        fputs(" NOT NULL", out);
    if (engine->comments == COMMENTS_INLINE)
        fprintf(out, " COMMENT '%s'", column->meaning);
    if (!last || engine->key[0])
        fputc(',', out);
    if (engine->comments == COMMENTS_DASHES)
        fprintf(out, "  -- %s", column->meaning);
    fputc('\n', out);
}

void
mp_export_schema(enum mp_flat flat, unsigned number, FILE *out)
{
    const struct engine *engine = &engines[number];
    size_t last = 0;

    for (size_t i = 0; i < mp_n_flat_columns; i++)
        if (has(flat, &mp_flat_columns[i]))
            last = i;
    fputs("CREATE TABLE " TABLE " (\n", out);
    for (size_t i = 0; i < mp_n_flat_columns; i++)
        if (has(flat, &mp_flat_columns[i]))
            put_column(engine, flat, &mp_flat_columns[i], i == last, out);
    fprintf(out, "%s)%s;\n", engine->key, engine->end);
    for (size_t i = 0; i < mp_n_flat_columns && engine->comments == COMMENTS_STATEMENTS; i++)
        if (has(flat, &mp_flat_columns[i]))
            fprintf(out, "COMMENT ON COLUMN " TABLE ".%s IS '%s';\n", mp_flat_columns[i].name,
                    mp_flat_columns[i].meaning);
}
