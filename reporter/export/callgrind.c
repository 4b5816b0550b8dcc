/* SPDX-License-Identifier: MIT */
/*
 * Writes callgrind's format, for callgrind_annotate and KCachegrind.
 *
 * A line of a function has the costs of what was allocated there, and of each call made there. Readers compute a
 * function's inclusive cost as the sum of the calls to it, or as its own cost plus that of its calls. To make both
 * exact for recursive programs, a byte is credited to the outermost call of each function on its chain only. Inner
 * calls of the function are written with costs of 0. Chains begin with a call by <TOTAL>.
 */
#include "export_formats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "reporter/base/map.h"
#include "reporter/base/search.h"
#include "reporter/graph/tree.h"

enum { BYTES, ALLOCS, KEPT, KEPT_BLOCKS, PEAK, PEAK_BLOCKS, TEMPORARY, EVENTS };

static const struct {
    const char *name, *title;
    enum mp_figure figure;
} events[EVENTS] = {
    {"Bytes", "Bytes allocated", MP_FIGURE_BYTES},
    {"Allocs", "Allocations", MP_FIGURE_ALLOCS},
    {"Kept", "Bytes never freed", MP_FIGURE_KEPT},
    {"KeptBlocks", "Blocks never freed", MP_FIGURE_KEPT_BLOCKS},
    {"Peak", "Bytes that lived at the peak", MP_FIGURE_PEAK_BYTES},
    {"PeakBlocks", "Blocks that lived at the peak", MP_FIGURE_PEAK_BLOCKS},
    {"Temporary", "Allocations freed before the next", MP_FIGURE_TEMPORARY},
};

struct costs {
    uint64_t of[EVENTS];
};

/* The costs of a line of a function, or of a call made in that line. */
struct row {
    uint32_t function, file, line;
    uint32_t callee;            /* function called, or MP_NO_ID for the costs of the line itself */
    struct costs costs;
};

struct writer {
    const struct mp_tree *tree;
    const struct mp_profile *view;
    uint32_t total;             /* id of <TOTAL>, which follows the ids of functions */
    struct mp_map files;        /* names of source files */
    uint32_t *main_file;        /* by function: file in which it is listed, or MP_NO_ID if it is on no chain */
    struct mp_map keys;         /* keys of rows */
    struct row *rows;
    uint32_t rows_room;
    struct costs *inclusive;    /* by node */
    bool *said_file, *said_object, *said_function;      /* by id: the name has been written */
    struct mp_arena *arena;
    FILE *out;
};

/* ---------------------------------------------------------------- costs */

static void
add(struct costs *to, const struct costs *from)
{
    for (int i = 0; i < EVENTS; i++)
        to->of[i] = mp_plus(to->of[i], from->of[i]);
}

static struct costs
self_costs(const struct mp_tree *tree, uint32_t node)
{
    const struct mp_counts self = mp_tree_self(tree, node);

    return (struct costs){.of = {
        [BYTES] = self.bytes, [ALLOCS] = self.allocs,
        [KEPT] = mp_export_positive((int64_t)self.kept),
        [KEPT_BLOCKS] = mp_export_positive((int64_t)self.kept_blocks),
        [PEAK] = mp_export_positive(self.peak_bytes),
        [PEAK_BLOCKS] = mp_export_positive(self.peak_blocks),
        [TEMPORARY] = self.temporary}};
}

/* Returns, by node, the costs of the node and all its descendants. */
static struct costs *
inclusive_costs(const struct writer *w)
{
    const struct mp_tree *tree = w->tree;
    struct costs *costs = mp_arena_alloc(w->arena, tree->n_nodes * sizeof *costs);

    for (uint32_t i = tree->n_nodes; i-- > 0;) {
        const struct costs self = self_costs(tree, i);

        add(&costs[i], &self);
        if (i > 0)
            add(&costs[tree->nodes[i].parent], &costs[i]);
    }
    return costs;
}

/* Returns, by node, whether it is the outermost call of its function on its chain. */
static bool *
outermost_calls(const struct writer *w)
{
    const struct mp_tree *tree = w->tree;
    const struct mp_tree_children children = mp_tree_children(tree, w->arena);
    uint32_t *next = mp_arena_alloc(w->arena, tree->n_nodes * sizeof *next);
    uint32_t *open = mp_arena_alloc(w->arena, ((size_t)w->total + 1) * sizeof *open);
    bool *outermost = mp_arena_alloc(w->arena, tree->n_nodes * sizeof *outermost);

    memcpy(next, children.first, tree->n_nodes * sizeof *next);
    for (uint32_t node = 0;;) {
        if (next[node] < children.first[node + 1]) {
            node = children.list[next[node]++];
            outermost[node] = open[mp_tree_function(tree, node)]++ == 0;
        } else if (node == 0) {
            return outermost;
        } else {
            open[mp_tree_function(tree, node)]--;
            node = tree->nodes[node].parent;
        }
    }
}

/* ---------------------------------------------------------------- rows */

static uint32_t
file_of(struct writer *w, uint32_t location)
{
    const char *file = w->view->locations[location].file;

    return mp_map_add(&w->files, file, strlen(file));
}

/* Returns the row of NODE's line, or of its call of CALLEE, and adds it if it is new. */
static struct row *
row_of(struct writer *w, uint32_t node, uint32_t callee)
{
    uint32_t key[] = {w->total, w->main_file[w->total], 0, callee}, id, known = w->keys.count;

    if (node > 0) {
        const struct mp_location *at = &w->view->locations[w->tree->nodes[node].location];

        key[0] = at->function;
        key[1] = file_of(w, w->tree->nodes[node].location);
        key[2] = at->line;
    }
    id = mp_map_add(&w->keys, key, sizeof key);
    if (id == known) {
        w->rows = mp_arena_grow(w->arena, w->rows, id, &w->rows_room, sizeof *w->rows);
        w->rows[id] = (struct row){key[0], key[1], key[2], callee, {{0}}};
    }
    return &w->rows[id];
}

/* Finds the file in which each function is listed: that of its first node. */
static void
find_main_files(struct writer *w)
{
    w->main_file = mp_arena_alloc(w->arena, ((size_t)w->total + 1) * sizeof *w->main_file);
    memset(w->main_file, 0xff, ((size_t)w->total + 1) * sizeof *w->main_file);
    w->main_file[w->total] = mp_map_add(&w->files, "", 0);
    for (uint32_t i = 1; i < w->tree->n_nodes; i++) {
        uint32_t *file = &w->main_file[mp_tree_function(w->tree, i)];

        if (*file == MP_NO_ID)
            *file = file_of(w, w->tree->nodes[i].location);
    }
}

static void
collect(struct writer *w)
{
    const bool *outermost = outermost_calls(w);

    w->inclusive = inclusive_costs(w);
    find_main_files(w);
    for (uint32_t i = 0; i < w->tree->n_nodes; i++) {
        if (mp_tree_cells(w->tree, i) > 0) {
            const struct costs self = self_costs(w->tree, i);

            add(&row_of(w, i, MP_NO_ID)->costs, &self);
        }
        if (i > 0) {
            struct row *call = row_of(w, w->tree->nodes[i].parent, mp_tree_function(w->tree, i));

            if (outermost[i])
                add(&call->costs, &w->inclusive[i]);
        }
    }
}

/* Sorts rows by function, with its main file before other files, then by file and line. The costs of a line itself
 * come before the costs of its calls. */
static int
compare_rows(const void *left, const void *right, void *data)
{
    const struct row *a = left, *b = right;
    const uint32_t *main_file = data;
    bool in_main[] = {a->file == main_file[a->function], b->file == main_file[b->function]};

    if (a->function != b->function)
        return mp_order(a->function, b->function);
    if (in_main[0] != in_main[1])
        return in_main[0] ? -1 : 1;
    if (a->file != b->file)
        return mp_order(a->file, b->file);
    if (a->line != b->line)
        return mp_order(a->line, b->line);
    return a->callee + 1 < b->callee + 1 ? -1 : a->callee != b->callee;
}

/* ---------------------------------------------------------------- text */

/* Writes KEY=(ID), followed by NAME if it has not been written yet. */
static void
put_name(const struct writer *w, const char *key, bool *said, uint32_t id, const char *name)
{
    fprintf(w->out, "%s=(%" PRIu32 ")", key, id + 1);
    if (!said[id])
        fprintf(w->out, " %s", name[0] ? name : "???");
    said[id] = true;
    fputc('\n', w->out);
}

static void
put_file(const struct writer *w, const char *key, uint32_t file)
{
    put_name(w, key, w->said_file, file, mp_map_key(&w->files, file));
}

/* Writes object, file and name of FUNCTION. CALLED selects the keys of called functions. */
static void
put_function(const struct writer *w, uint32_t function, bool called)
{
    const bool total = function == w->total;
    uint32_t module = total ? MP_NO_ID : w->view->functions[function].module;

    if (module >= w->view->n_modules)
        module = w->view->n_modules;
    put_name(w, called ? "cob" : "ob", w->said_object, module,
             module < w->view->n_modules ? w->view->modules[module].path : "");
    put_file(w, called ? "cfi" : "fl", w->main_file[function]);
    put_name(w, called ? "cfn" : "fn", w->said_function, function,
             total ? "<TOTAL>" : w->view->functions[function].text);
}

static void
put_costs(const struct writer *w, const struct costs *costs)
{
    for (int i = 0; i < EVENTS; i++)
        if (mp_export_knows(w->view, events[i].figure))
            fprintf(w->out, " %" PRIu64, costs->of[i]);
    fputc('\n', w->out);
}

/* Writes a row. A call needs a count, but the number of calls is not known. The number of allocations is written
 * instead, or 1 if that is 0, because programs that read this format ignore a call whose count is 0. */
static void
put_row(const struct writer *w, const struct row *row)
{
    const uint64_t allocs = row->costs.of[ALLOCS];

    if (row->callee != MP_NO_ID) {
        put_function(w, row->callee, true);
        fprintf(w->out, "calls=%" PRIu64 " 0\n", allocs > 0 ? allocs : 1);
    }
    fprintf(w->out, "%" PRIu32, row->line);
    put_costs(w, &row->costs);
}

static void
put_rows(const struct writer *w)
{
    const struct row *before = NULL;

    for (uint32_t i = 0; i < w->keys.count; i++) {
        const struct row *row = &w->rows[i];
        uint32_t file = before ? before->file : MP_NO_ID;

        if (!before || before->function != row->function) {
            fputc('\n', w->out);
            put_function(w, row->function, false);
            file = w->main_file[row->function];
        }
        if (file != row->file)
            put_file(w, "fi", row->file);
        put_row(w, row);
        before = row;
    }
}

static void
put_head(const struct writer *w, const struct mp_export *export)
{
    char *command = mp_export_command(&export->profile->meta);

    fputs("# callgrind format\nversion: 1\ncreator: " PACKAGE_STRING "\n", w->out);
    fprintf(w->out, "pid: %" PRIu32 "\ncmd: %s\n", export->profile->meta.pid, command);
    mp_export_put_remark(export, "desc: ", w->out);
    fputs("positions: line\n", w->out);
    for (int i = 0; i < EVENTS; i++)
        if (mp_export_knows(w->view, events[i].figure))
            fprintf(w->out, "event: %s : %s\n", events[i].name, events[i].title);
    fputs("events:", w->out);
    for (int i = 0; i < EVENTS; i++)
        if (mp_export_knows(w->view, events[i].figure))
            fprintf(w->out, " %s", events[i].name);
    fputs("\nsummary:", w->out);
    put_costs(w, &w->inclusive[0]);
    free(command);
}

bool
mp_export_callgrind(const struct mp_export *export, FILE *out, struct mp_error *error)
{
    const struct mp_tree_options options = {
        .all_frames = export->all_frames, .lines = true, .paths = true};
    struct mp_arena *arena = mp_arena_new();
    struct mp_tree *tree = mp_tree_build(export->view, &options);
    struct writer w = {.tree = tree, .view = export->view, .total = export->view->n_functions,
                       .files.arena = arena, .keys.arena = arena, .arena = arena, .out = out};

    (void)error;
    collect(&w);
    if (w.keys.count > 0)
        qsort_r(w.rows, w.keys.count, sizeof *w.rows, compare_rows, w.main_file);
    w.said_file = mp_arena_alloc(arena, w.files.count * sizeof *w.said_file);
    w.said_object = mp_arena_alloc(arena, ((size_t)w.view->n_modules + 1) * sizeof *w.said_object);
    w.said_function = mp_arena_alloc(arena, ((size_t)w.total + 1) * sizeof *w.said_function);
    put_head(&w, export);
    put_rows(&w);
    mp_tree_free(tree);
    mp_arena_free(arena);
    return true;
}
