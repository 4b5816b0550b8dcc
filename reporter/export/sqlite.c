/* SPDX-License-Identifier: MIT */
/*
 * Appends runs to an SQLite database, one transaction for each, see mprof-sql(7): first the rows of the run itself,
 * then names and chains, and finally figures.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "export.h"
#include "export_formats.h"
#include "flat_rows.h"
#include "reporter/base/text.h"
#include "reporter/graph/bins.h"
#include "reporter/graph/node_chain.h"
#include "reporter/graph/tree.h"
#include "reporter/profile/estimate.h"
#include "reporter/table/said_part.h"
#include "sqlite_db.h"

/* ---------------------------------------------------------------- which run it is */

/* Returns the description of the part of the run that is exported, or "" if it is the whole run. */
static const char *
part_of(const struct mp_export *export, struct mp_arena *arena)
{
    const struct mp_said_part part = {
        .profile = export->profile, .view = export->view, .focus = export->focus,
        .filters = export->filters, .lisp = export->lisp};
    struct mp_text_stream words;
    char *text;

    mp_said_part_print(&part, mp_text_open(&words));
    text = mp_text_close_in(&words, arena);
    while (words.size > 0 && text[words.size - 1] == '\n')
        text[--words.size] = '\0';
    return text + strspn(text, "\n");
}

static bool
is_there(struct mp_db *db, const char *name, const char *part)
{
    sqlite3_stmt *find = mp_db_prepare(db, "SELECT id FROM runs WHERE name = ? AND part = ?");
    int64_t id;

    mp_db_text(find, 1, name);
    mp_db_text(find, 2, part);
    id = mp_db_run(db, find);
    mp_db_done(find);
    return id >= 0;
}

/* ---------------------------------------------------------------- its rows */

static bool
knows(const struct mp_export *export, enum mp_figure figure)
{
    return !mp_is_unknown(export->profile, figure);
}

static int64_t
put_run(struct mp_db *db, const struct mp_export *export, const char *name, const char *part)
{
    const struct mp_meta *meta = &export->profile->meta;
    char *command = mp_export_command(&export->profile->meta), *head = mp_export_remark(export);
    sqlite3_stmt *row = mp_db_prepare(
        db, "INSERT INTO runs (name, part, program, command, host, pid, started_ns, duration_ns, language, source,"
            " monitor, sample_period, head, allocs, bytes, peak_bytes, lifetimes)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id");
    struct mp_totals totals;
    int64_t id;

    mp_profile_totals(export->profile, &totals);
    mp_db_text(row, 1, name);
    mp_db_text(row, 2, part);
    mp_db_text_known(row, 3, meta->program);
    mp_db_text_known(row, 4, command);
    mp_db_text_known(row, 5, meta->host);
    mp_db_known(row, 6, meta->pid > 0, meta->pid);
    mp_db_known(row, 7, meta->start_realtime > 0, meta->start_realtime);
    mp_db_known(row, 8, meta->duration > 0, meta->duration);
    mp_db_text_known(row, 9, meta->language);
    mp_db_text_known(row, 10, meta->source);
    mp_db_text_known(row, 11, meta->monitor);
    mp_db_known(row, 12, mp_is_estimated(meta), mp_export_period(meta));
    mp_db_text(row, 13, head);
    mp_db_known(row, 14, knows(export, MP_FIGURE_ALLOCS), totals.allocs);
    mp_db_known(row, 15, knows(export, MP_FIGURE_BYTES), totals.bytes);
    mp_db_known(row, 16, knows(export, MP_FIGURE_PEAK_BYTES) && !meta->damaged, (uint64_t)meta->peak_bytes);
    mp_db_number(row, 17, export->view->lifetimes);
    id = mp_db_run(db, row);
    mp_db_done(row);
    free(command);
    free(head);
    return id;
}

static void
put_labels(struct mp_db *db, const struct mp_export *export, uint64_t run)
{
    sqlite3_stmt *row = mp_db_prepare(db, "INSERT INTO labels VALUES (?, ?, ?)");
    struct mp_label labels[MP_LABELS_MOST];
    struct mp_arena *arena = mp_arena_new();
    const uint32_t n = mp_export_labels(export, &export->profile->meta, labels, arena);

    for (uint32_t i = 0; i < n; i++) {
        mp_db_number(row, 1, run);
        mp_db_text(row, 2, labels[i].name);
        mp_db_text(row, 3, labels[i].value);
        mp_db_run(db, row);
    }
    mp_db_done(row);
    mp_arena_free(arena);
}

static void
put_processes(struct mp_db *db, const struct mp_export *export, uint64_t run)
{
    const struct mp_member one = mp_member_of(export->profile, export->file);
    const struct mp_processes *processes = export->profile->processes;
    sqlite3_stmt *row = mp_db_prepare(
        db, "INSERT INTO processes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");

    for (uint32_t i = 0; i < (processes ? processes->n : 1); i++) {
        const struct mp_member *member = processes ? &processes->list[i] : &one;
        const struct mp_meta *meta = &member->meta;

        mp_db_number(row, 1, run);
        mp_db_number(row, 2, i);
        mp_db_text_known(row, 3, meta->program);
        mp_db_known(row, 4, meta->pid > 0, meta->pid);
        mp_db_known(row, 5, meta->ppid > 0, meta->ppid);
        mp_db_text_known(row, 6, meta->host);
        mp_db_known(row, 7, meta->start_realtime > 0, meta->start_realtime);
        mp_db_known(row, 8, meta->duration > 0, meta->duration);
        mp_db_text_known(row, 9, member->file);
        mp_db_known(row, 10, knows(export, MP_FIGURE_ALLOCS), member->sums.allocs);
        mp_db_known(row, 11, knows(export, MP_FIGURE_BYTES), member->sums.bytes);
        mp_db_known(row, 12, knows(export, MP_FIGURE_KEPT_BLOCKS), member->sums.kept_blocks);
        mp_db_known(row, 13, knows(export, MP_FIGURE_KEPT), member->sums.kept);
        mp_db_known(row, 14, knows(export, MP_FIGURE_PEAK_BYTES) && !meta->damaged, (uint64_t)meta->peak_bytes);
        mp_db_run(db, row);
    }
    mp_db_done(row);
}

/* Sets columns 7 and 8 of ROW to the live bytes and blocks at MOMENT. They must be known for MOMENT. */
static void
put_live(const struct mp_profile *view, uint32_t moment, sqlite3_stmt *row)
{
    struct mp_arena *arena = mp_arena_new();
    uint32_t n;
    const struct mp_live *live = mp_timeline_live(view, moment, &n, arena);
    int64_t bytes = 0, blocks = 0;

    for (uint32_t i = 0; i < n; i++) {
        bytes = mp_plus_signed(bytes, live[i].bytes);
        blocks = mp_plus_signed(blocks, live[i].blocks);
    }
    mp_db_number(row, 7, (uint64_t)bytes);
    mp_db_number(row, 8, (uint64_t)blocks);
    mp_arena_free(arena);
}

static void
put_marks(struct mp_db *db, const struct mp_profile *view, uint64_t run)
{
    const struct mp_timeline *line = view->timeline;
    sqlite3_stmt *row = mp_db_prepare(db, "INSERT INTO marks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");

    for (uint32_t i = 0; line && i < line->n_moments; i++) {
        const struct mp_moment *moment = &line->moments[i];
        bool collection = moment->kind == MP_MOMENT_COLLECTION;

        mp_db_number(row, 1, run);
        mp_db_number(row, 2, i);
        mp_db_text(row, 3, mp_moment_names[moment->kind]);
        mp_db_text_known(row, 4, moment->name);
        mp_db_number(row, 5, moment->time);
        mp_db_number(row, 6, moment->exact);
        if (mp_moment_is_known(moment))
            put_live(view, i, row);
        mp_db_known(row, 9, collection && moment->pause != MP_NOT_SEEN, moment->pause);
        mp_db_known(row, 10, collection && moment->heap_before != MP_NOT_SEEN, moment->heap_before);
        mp_db_known(row, 11, collection && moment->heap_after != MP_NOT_SEEN, moment->heap_after);
        mp_db_run(db, row);
    }
    mp_db_done(row);
}

/* Inserts the points of the time line. They are of the whole process, even if a part of the run is exported. */
static void
put_points(struct mp_db *db, const struct mp_profile *profile, uint64_t run)
{
    const struct mp_timeline *line = profile->timeline;
    sqlite3_stmt *row = mp_db_prepare(db, "INSERT INTO points VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");

    for (uint32_t i = 0; line && i < line->n_points; i++) {
        const struct mp_point *point = &line->points[i];
        const uint64_t values[] = {run, i, point->time, point->live, point->live_lisp, point->blocks,
                                   point->allocs, point->bytes, point->resident};

        for (int k = 0; k < (int)(sizeof values / sizeof *values); k++)
            mp_db_known(row, k + 1, values[k] != MP_NOT_SEEN, values[k]);
        mp_db_run(db, row);
    }
    mp_db_done(row);
}

/* Inserts the rows of EXPORT, which is called NAME. Returns the id of the run, or -1 if the same part of the run is
 * already there or DB failed. Sets *WHOLE if the export is the whole run. Uses ARENA for texts. */
static int64_t
put_run_rows(struct mp_db *db, const struct mp_export *export, const char *name, bool *whole, struct mp_arena *arena)
{
    const char *part = part_of(export, arena);
    int64_t run = is_there(db, name, part) ? -1 : put_run(db, export, name, part);

    *whole = !part[0];
    if (run < 0)
        return -1;
    put_labels(db, export, (uint64_t)run);
    put_processes(db, export, (uint64_t)run);
    put_marks(db, export->view, (uint64_t)run);
    put_points(db, export->profile, (uint64_t)run);
    return run;
}

/* The statements that find a row of a table of names, and add one. */
struct names {
    sqlite3_stmt *find, *add;
};

/* Ids in the database of what has been looked up so far. */
struct ids {
    struct mp_db *db;
    const struct mp_tree *tree;
    struct names modules, files, functions, frames, contexts, types;
    int64_t *function_ids;      /* by function of the view; -1 if not requested yet */
    int64_t *context_ids;       /* by node of the tree; 0 if not requested yet */
    const char *file;           /* the last file requested, because consecutive calls often have the same file */
    int64_t file_id;
};

/* ---------------------------------------------------------------- tables of names */

/* Stores names, places and chains in a database, where all runs share them, and returns their ids. */

static struct names
prepare_names(struct mp_db *db, const char *find, const char *add)
{
    return (struct names){mp_db_prepare(db, find), mp_db_prepare(db, add)};
}

static void
names_done(struct names *names)
{
    mp_db_done(names->find);
    mp_db_done(names->add);
}

/* Prepares the statements. The result is allocated in ARENA. Call ids_done() before the end of DB's transaction. */
static struct ids
prepare_ids(struct mp_db *db, const struct mp_tree *tree, struct mp_arena *arena)
{
    uint32_t n_functions = tree->profile->n_functions;
    struct ids ids = {
        .db = db, .tree = tree,
        .function_ids = mp_arena_alloc(arena, n_functions * sizeof(int64_t)),
        .context_ids = mp_arena_alloc(arena, tree->n_nodes * sizeof(int64_t)),
        .modules = prepare_names(db, "SELECT id FROM modules WHERE path = ?",
                         "INSERT INTO modules (path) VALUES (?) RETURNING id"),
        .files = prepare_names(db, "SELECT id FROM files WHERE path = ?",
                       "INSERT INTO files (path) VALUES (?) RETURNING id"),
        .functions = prepare_names(db,
                           "SELECT id FROM functions WHERE name = ? AND module IS ? AND file IS ? AND plain = ?",
                           "INSERT INTO functions (name, module, file, plain) VALUES (?, ?, ?, ?) RETURNING id"),
        .frames = prepare_names(db,
                        "SELECT id FROM frames WHERE function = ? AND line IS ? AND file IS ? AND inlined = ?",
                        "INSERT INTO frames (function, line, file, inlined) VALUES (?, ?, ?, ?) RETURNING id"),
        .contexts = prepare_names(db, "SELECT id FROM contexts WHERE parent = ? AND frame = ?",
                          "INSERT INTO contexts (parent, frame) VALUES (?, ?) RETURNING id"),
        .types = prepare_names(db, "SELECT id FROM types WHERE name = ? AND size_class IS ?",
                       "INSERT INTO types (name, size_class) VALUES (?, ?) RETURNING id")};

    memset(ids.function_ids, 0xff, n_functions * sizeof(int64_t));
    return ids;
}

static void
ids_done(struct ids *ids)
{
    names_done(&ids->modules);
    names_done(&ids->files);
    names_done(&ids->functions);
    names_done(&ids->frames);
    names_done(&ids->contexts);
    names_done(&ids->types);
}

/* One column of a key. It is a text, or a number if `text` is NULL. A negative number is stored as NULL. */
struct value {
    const char *text;
    int64_t number;
};

static void
bind(sqlite3_stmt *statement, const struct value values[], int n)
{
    for (int i = 0; i < n; i++) {
        mp_db_text(statement, i + 1, values[i].text);
        if (!values[i].text)
            mp_db_known(statement, i + 1, values[i].number >= 0, (uint64_t)values[i].number);
    }
}

static int64_t
id_of(struct mp_db *db, const struct names *names, const struct value values[], int n)
{
    int64_t id;

    bind(names->find, values, n);
    id = mp_db_run(db, names->find);
    if (id >= 0)
        return id;
    bind(names->add, values, n);
    return mp_db_run(db, names->add);
}

/* ---------------------------------------------------------------- what is named */

static int64_t
module_id(struct ids *ids, const char *path)
{
    return id_of(ids->db, &ids->modules, &(struct value){path, 0}, 1);
}

/* Returns the id of FILE, or -1 if FILE is "" or NULL, which means not known. */
static int64_t
file_id(struct ids *ids, const char *file)
{
    if (!file || !*file)
        return -1;
    if (!ids->file || strcmp(file, ids->file) != 0) {
        ids->file_id = id_of(ids->db, &ids->files, &(struct value){file, 0}, 1);
        ids->file = file;
    }
    return ids->file_id;
}

static int64_t
function_id(struct ids *ids, uint32_t function)
{
    const struct mp_profile *view = ids->tree->profile;
    const struct mp_function *f = &view->functions[function];
    int64_t *id = &ids->function_ids[function];

    if (*id < 0) {
        const struct value values[] = {
            {f->text, 0},
            {NULL, f->module < view->n_modules ? module_id(ids, view->modules[f->module].path) : -1},
            {NULL, file_id(ids, f->file)},
            {mp_function_name(f), 0}};

        *id = id_of(ids->db, &ids->functions, values, 4);
    }
    return *id;
}

static int64_t
type_id(struct ids *ids, const char *name, const char *size_class)
{
    const struct value values[] = {{name, 0}, {size_class, -1}};

    return id_of(ids->db, &ids->types, values, 2);
}

static int64_t
frame_id(struct ids *ids, uint32_t node)
{
    const struct mp_call call = mp_chain_call(ids->tree, node);
    const struct value values[] = {
        {NULL, function_id(ids, call.function)},
        {NULL, call.line > 0 ? (int64_t)call.line : -1},
        {NULL, file_id(ids, call.file)},
        {NULL, call.inlined}};

    return id_of(ids->db, &ids->frames, values, 4);
}

/* Returns the id of the chain that ends at NODE, which is 0 for the root. To limit recursion, request callers first,
 * that is, nodes in ascending order. */
static int64_t
context_id(struct ids *ids, uint32_t node)
{
    if (node == 0)
        return 0;
    if (ids->context_ids[node] == 0) {
        const struct value values[] = {
            {NULL, context_id(ids, ids->tree->nodes[node].parent)}, {NULL, frame_id(ids, node)}};

        ids->context_ids[node] = id_of(ids->db, &ids->contexts, values, 2);
    }
    return ids->context_ids[node];
}

/* ---------------------------------------------------------------- sums of functions */

/* The sums by function are stored, because a database cannot compute the intervals of sums from those of the chains. */

/* Sums by function of the view. */
struct function_sums {
    struct mp_counts *direct;           /* allocated by the function itself */
    struct mp_counts *inclusive;        /* allocated with the function anywhere on the chain; counted once for a
                                           chain */
    bool *seen;                         /* whether the function is on any chain */
};

struct walk {
    const struct mp_tree *tree;
    const struct mp_counts *inclusive;  /* by node */
    struct function_sums sums;
    uint32_t *above;                    /* by function: how often it is on the current chain */
};

static void
enter(struct walk *walk, uint32_t node)
{
    uint32_t function = mp_tree_function(walk->tree, node);
    struct mp_counts self = mp_tree_self(walk->tree, node);

    walk->sums.seen[function] = true;
    mp_counts_add(&walk->sums.direct[function], &self);
    if (walk->above[function]++ == 0)
        mp_counts_add(&walk->sums.inclusive[function], &walk->inclusive[node]);
}

/* Visits all nodes. Chains may be as deep as any stack, so the walk returns by parents instead of recursing. */
static void
walk_all(struct walk *walk, struct mp_arena *arena)
{
    const struct mp_tree *tree = walk->tree;
    const struct mp_tree_children children = mp_tree_children(tree, arena);
    uint32_t *next = mp_arena_alloc(arena, tree->n_nodes * sizeof *next);
    uint32_t node = 0;

    for (uint32_t i = 0; i < tree->n_nodes; i++)
        next[i] = children.first[i];
    for (;;) {
        if (next[node] < children.first[node + 1]) {
            node = children.list[next[node]++];
            enter(walk, node);
        } else if (node == 0) {
            return;
        } else {
            walk->above[mp_tree_function(tree, node)]--;
            node = tree->nodes[node].parent;
        }
    }
}

/* Returns the sums, allocated in ARENA. The time is proportional to the number of nodes, whatever their depth. */
static struct function_sums
function_sums(const struct mp_tree *tree, struct mp_arena *arena)
{
    uint32_t n = tree->profile->n_functions;
    struct walk walk = {
        .tree = tree, .inclusive = mp_tree_inclusive(tree, arena),
        .sums = {mp_arena_alloc(arena, n * sizeof *walk.sums.direct),
                 mp_arena_alloc(arena, n * sizeof *walk.sums.inclusive),
                 mp_arena_alloc(arena, n * sizeof *walk.sums.seen)},
        .above = mp_arena_alloc(arena, n * sizeof *walk.above)};

    walk_all(&walk, arena);
    return walk.sums;
}

#define FIGURE_COLUMNS (3 * MP_FIGURES)

struct writer {
    struct mp_db *db;
    struct mp_export_cells cells;
    struct ids ids;
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
        const int64_t type = type_id(&writer->ids, cell.type, cell.size_class);
        const int64_t context = context_id(&writer->ids, cell.node);

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
    const struct function_sums sums = function_sums(tree, writer->arena);
    sqlite3_stmt *self = prepare_rows(writer, "self", 2),
                 *inclusive = prepare_rows(writer, "inclusive", 2);

    for (uint32_t i = 0; i < tree->profile->n_functions; i++) {
        uint64_t id = sums.seen[i] ? (uint64_t)function_id(&writer->ids, i) : 0;

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
        mp_db_number(row, 3, (uint64_t)module_id(&writer->ids, module->path));
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
        context_id(&writer->ids, i);
    put_cells(writer);
    put_functions(writer);
}

/* Appends EXPORT to DB, in which a transaction has begun. Sets *ADDED to false if it is already there. */
static void
append(struct mp_db *db, const struct mp_export *export, bool *added)
{
    struct writer writer = {.db = db, .arena = mp_arena_new(), .cells = mp_export_cells(export)};
    bool whole;
    int64_t run = put_run_rows(db, export, writer.cells.processes[0].run, &whole, writer.arena);

    *added = run >= 0;
    if (*added) {
        writer.run = (uint64_t)run;
        writer.ids = prepare_ids(db, writer.cells.tree, writer.arena);
        put_all(&writer);
        if (whole)
            put_bins(&writer, export);
        ids_done(&writer.ids);
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
