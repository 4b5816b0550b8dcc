/*
 * Writes a run to a database: first the rows of the run itself, then names and chains, and finally figures.
 */
#include "sqlite.h"

#include <stdio.h>
#include <string.h>

#include "cells.h"
#include "reporter/base/text.h"
#include "reporter/profile/bins.h"
#include "reporter/profile/estimate.h"
#include "sqlite_names.h"
#include "sqlite_run.h"
#include "sqlite_sums.h"

#define FIGURE_COLUMNS (3 * MP_FIGURES)

struct writer {
    struct mp_db *db;
    struct mp_export_cells cells;
    struct mp_db_ids ids;
    uint64_t run;
    struct mp_arena *arena;
};

/* ---------------------------------------------------------------- figures */

/* Prepares a statement that inserts N_IDS numbers and the figures into TABLE. */
static sqlite3_stmt *
prepare_rows(const struct writer *writer, const char *table, unsigned n_ids)
{
    size_t size = 2 * (n_ids + FIGURE_COLUMNS);
    char *values = mp_arena_alloc(writer->arena, size);

    for (size_t i = 0; i < size; i += 2)
        memcpy(values + i, "?,", 2);
    values[size - 1] = '\0';
    return mp_db_prepare(writer->db,
                         mp_arena_printf(writer->arena, "INSERT INTO %s VALUES (%s)", table, values));
}

/* Inserts a row. Unknown figures are NULL, and so are the intervals of exact figures. */
static void
put_row(const struct writer *writer, sqlite3_stmt *row, int n_ids, const struct mp_counts *counts)
{
    const int figures = n_ids + 1, intervals = figures + MP_FIGURES;

    for (int i = 0; i < MP_FIGURES; i++) {
        const struct mp_estimate estimate = mp_counts_estimate(counts, (enum mp_figure)i);
        bool known = writer->cells.known[i];

        mp_db_known(row, figures + i, known, estimate.value);
        mp_db_known(row, intervals + 2 * i, known && !estimate.exact, estimate.low);
        mp_db_known(row, intervals + 2 * i + 1, known && !estimate.exact, estimate.high);
    }
    mp_db_run(writer->db, row);
}

/* ---------------------------------------------------------------- rows of figures */

/* Inserts the figures by size, which are known for whole runs only. Temporary blocks and blocks live at the peak are
 * not counted by size. */
static void
put_bins(struct writer *writer, const struct mp_export *export)
{
    sqlite3_stmt *row = prepare_rows(writer, "bins", 2);
    struct writer known = *writer;

    known.cells.known[MP_FIGURE_TEMPORARY] = false;
    known.cells.known[MP_FIGURE_PEAK_BLOCKS] = known.cells.known[MP_FIGURE_PEAK_BYTES] = false;
    for (unsigned bin = 0; bin < MP_BINS; bin++) {
        const struct mp_counts counts = mp_bin_counts(export->profile, bin);

        if (counts.allocs == 0 && counts.frees == 0)
            continue;
        mp_db_number(row, 1, writer->run);
        mp_db_number(row, 2, bin);
        put_row(&known, row, 2, &counts);
    }
    mp_db_done(row);
}

/* Inserts the lifetimes of blocks of CELL, which has the ids CONTEXT and TYPE in the database. */
static void
put_lifetimes(const struct writer *writer, sqlite3_stmt *row, const struct mp_export_cell *cell,
              uint64_t context, uint64_t type)
{
    for (unsigned i = 0; cell->has_lifetimes && i < MP_LIFETIMES; i++) {
        if (cell->lifetimes.blocks[i] == 0)
            continue;
        mp_db_number(row, 1, writer->run);
        mp_db_number(row, 2, context);
        mp_db_number(row, 3, type);
        mp_db_number(row, 4, i > 0 ? (uint64_t)1 << MP_LIFETIME_BITS(i - 1) : 0);
        mp_db_known(row, 5, i + 1 < MP_LIFETIMES, (uint64_t)1 << MP_LIFETIME_BITS(i));
        mp_db_number(row, 6, cell->lifetimes.blocks[i]);
        mp_db_number(row, 7, cell->lifetimes.bytes[i]);
        mp_db_run(writer->db, row);
    }
}

/* The sum of each type over all chains. */
struct type_sums {
    struct mp_map ids;          /* ids of types in the database */
    struct mp_counts *list;
    uint32_t room;
};

static void
add_type(struct type_sums *sums, int64_t type, const struct mp_counts *counts)
{
    uint32_t n = sums->ids.count, id = mp_map_add_u64(&sums->ids, (uint64_t)type);

    if (id == n) {
        sums->list = mp_arena_grow(sums->ids.arena, sums->list, n, &sums->room, sizeof *sums->list);
        sums->list[id] = (struct mp_counts){0};
    }
    mp_counts_add(&sums->list[id], counts);
}

static void
put_types(struct writer *writer, const struct type_sums *sums)
{
    sqlite3_stmt *row = prepare_rows(writer, "type_sums", 2);

    for (uint32_t i = 0; i < sums->ids.count; i++) {
        mp_db_number(row, 1, sums->ids.numbers[i]);
        mp_db_number(row, 2, writer->run);
        put_row(writer, row, 2, &sums->list[i]);
    }
    mp_db_done(row);
}

static void
put_cells(struct writer *writer)
{
    struct type_sums sums = {.ids.arena = writer->arena};
    sqlite3_stmt *row = prepare_rows(writer, "cells", 3);
    sqlite3_stmt *lived = mp_db_prepare(
        writer->db, "INSERT INTO lifetimes VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
                    " ON CONFLICT DO UPDATE SET blocks = blocks + ?6, bytes = bytes + ?7");
    struct mp_export_cell cell;

    while (mp_export_next(&writer->cells, &cell)) {
        const int64_t type = mp_db_type(&writer->ids, cell.type, cell.size_class);
        const int64_t context = mp_db_context(&writer->ids, cell.node);

        add_type(&sums, type, &cell.counts);
        mp_db_number(row, 1, writer->run);
        mp_db_number(row, 2, (uint64_t)context);
        mp_db_number(row, 3, (uint64_t)type);
        put_row(writer, row, 3, &cell.counts);
        put_lifetimes(writer, lived, &cell, (uint64_t)context, (uint64_t)type);
    }
    mp_db_done(row);
    mp_db_done(lived);
    put_types(writer, &sums);
}

static void
put_functions(struct writer *writer)
{
    const struct mp_tree *tree = writer->cells.tree;
    const struct mp_sqlite_sums sums = mp_sqlite_sums(tree, writer->arena);
    sqlite3_stmt *self = prepare_rows(writer, "self", 2),
                 *inclusive = prepare_rows(writer, "inclusive", 2);

    for (uint32_t i = 0; i < tree->profile->n_functions; i++) {
        uint64_t id = sums.seen[i] ? (uint64_t)mp_db_function(&writer->ids, i) : 0;

        if (!sums.seen[i])
            continue;
        mp_db_number(self, 1, id);
        mp_db_number(self, 2, writer->run);
        put_row(writer, self, 2, &sums.direct[i]);
        mp_db_number(inclusive, 1, id);
        mp_db_number(inclusive, 2, writer->run);
        put_row(writer, inclusive, 2, &sums.inclusive[i]);
    }
    mp_db_done(self);
    mp_db_done(inclusive);
}

/* ---------------------------------------------------------------- the run */

static void
put_modules(struct writer *writer)
{
    const struct mp_profile *view = writer->cells.tree->profile;
    sqlite3_stmt *row = mp_db_prepare(writer->db, "INSERT INTO loaded VALUES (?, ?, ?, ?, ?)");

    for (uint32_t i = 0; i < view->n_modules; i++) {
        const struct mp_module *module = &view->modules[i];
        char build_id[2 * sizeof module->build_id + 1] = "";

        mp_text_put_hex(build_id, build_id + sizeof build_id, module->build_id, module->build_id_size);
        mp_db_number(row, 1, writer->run);
        mp_db_number(row, 2, i);
        mp_db_number(row, 3, (uint64_t)mp_db_module(&writer->ids, module->path));
        mp_db_text_known(row, 4, build_id);
        mp_db_text_known(row, 5, module->problem);
        mp_db_run(writer->db, row);
    }
    mp_db_done(row);
}

static void
put_all(struct writer *writer)
{
    put_modules(writer);
    for (uint32_t i = 1; i < writer->cells.tree->n_nodes; i++)     /* callers come first */
        mp_db_context(&writer->ids, i);
    put_cells(writer);
    put_functions(writer);
}

/* Appends EXPORT to DB, in which a transaction has begun. Sets *ADDED to false if it is already there. */
static void
append(struct mp_db *db, const struct mp_export *export, bool *added)
{
    struct writer writer = {.db = db, .arena = mp_arena_new(), .cells = mp_export_cells(export)};
    bool whole;
    int64_t run = mp_sqlite_run(db, export, writer.cells.processes[0].run, &whole, writer.arena);

    *added = run >= 0;
    if (*added) {
        writer.run = (uint64_t)run;
        writer.ids = mp_db_ids(db, writer.cells.tree, writer.arena);
        put_all(&writer);
        if (whole)
            put_bins(&writer, export);
        mp_db_ids_end(&writer.ids);
    }
    mp_export_cells_free(&writer.cells);
    mp_arena_free(writer.arena);
}

bool
mp_export_sqlite(const struct mp_export *export, bool *added, struct mp_error *error)
{
    struct mp_db db = mp_db_begin(export->output, error);

    *added = false;
    if (db.failed == SQLITE_OK)
        append(&db, export, added);
    return mp_db_end(&db, *added);
}
