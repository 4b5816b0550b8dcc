/* SPDX-License-Identifier: MIT */
#include "html_model.h"

#include <string.h>

#include "html_parts.h"
#include "html_sums.h"
#include "reporter/base/json.h"

/* Sorts of functions, which the page draws in different ways. Marks are not functions, but describe cut chains and
 * merged nodes. */
enum sort { SORT_C, SORT_LISP, SORT_MARK };

/* An item of the model's list of functions. Item 0 is the root, item 1 stands for merged nodes. */
struct function {
    uint32_t id;                /* id in the view, or MP_NO_ID for items 0 and 1 */
    enum sort sort;
    const char *file;           /* source file of its first call */
};

struct writer {
    const struct mp_html_model *model;
    const struct mp_profile *view;
    const struct mp_html_tree *tree;
    struct mp_buffer *out;
    uint32_t *function_of;      /* index in `functions`, by node of the page */
    struct function *functions;
    uint32_t n_functions;
    struct mp_map files;        /* source files of functions and calls */
    struct mp_arena *arena;
};

/* ---------------------------------------------------------------- functions */

static enum sort
sort_of(const struct mp_frame *frame)
{
    return frame->mark != 0 ? SORT_MARK : frame->name != MP_NO_ID ? SORT_LISP : SORT_C;
}

/* Numbers the functions of the page's nodes. If there are sums, also numbers functions that occur only in nodes that
 * were left out. */
static void
number_functions(struct writer *w)
{
    const struct mp_tree *tree = w->tree->tree;
    uint32_t *numbers = mp_html_function_numbers(tree, w->model->sums ? NULL : w->tree, &w->n_functions, w->arena);

    w->functions = mp_arena_alloc(w->arena, w->n_functions * sizeof *w->functions);
    w->functions[0] = w->functions[1] = (struct function){MP_NO_ID, SORT_MARK, ""};
    for (uint32_t i = tree->n_nodes; i-- > 1;) {
        const struct mp_tree_node *node = &tree->nodes[i];
        uint32_t id = mp_tree_function(tree, i);

        if (numbers[id] != 0)
            w->functions[numbers[id]] =
                (struct function){id, sort_of(&w->view->frames[node->frame]), w->view->locations[node->location].file};
    }
    w->function_of = mp_arena_alloc(w->arena, w->tree->n_nodes * sizeof *w->function_of);
    for (uint32_t i = 1; i < w->tree->n_nodes; i++) {
        uint32_t from = w->tree->nodes[i].from;

        w->function_of[i] = from == MP_NO_ID ? 1 : numbers[mp_tree_function(tree, from)];
    }
}

static const struct mp_function *
function_at(const struct writer *w, uint32_t i)
{
    uint32_t id = w->functions[i].id;

    return id == MP_NO_ID ? NULL : &w->view->functions[id];
}

static const char *
name_of(const struct writer *w, uint32_t i)
{
    const struct mp_function *function = function_at(w, i);

    return function ? function->text : i == 0 ? "all" : "[smaller parts]";
}

/* Returns the index of FILE in the model's list of files, and adds FILE if needed. Returns -1 if FILE is unknown. */
static int64_t
number_file(struct writer *w, const char *file)
{
    return file && file[0] ? (int64_t)mp_map_add(&w->files, file, strlen(file)) : -1;
}

/* Writes pairs of a function and its full name, for functions that the view calls by a shorter name. */
static void
write_full_names(const struct writer *w)
{
    mp_json_key_open(w->out, "full", '[');
    for (uint32_t i = 2; i < w->n_functions; i++) {
        const struct mp_profile *profile = w->model->profile;
        uint32_t id = w->functions[i].id;

        if (id >= profile->n_functions || strcmp(profile->functions[id].text, name_of(w, i)) == 0)
            continue;
        mp_json_open(w->out, '[');
        mp_json_number(w->out, i);
        mp_json_text(w->out, profile->functions[id].text);
        mp_json_close(w->out, ']');
    }
    mp_json_close(w->out, ']');
}

static void
write_functions(struct writer *w)
{
    mp_json_key_open(w->out, "functions", '{');
    mp_json_key_open(w->out, "name", '[');
    for (uint32_t i = 0; i < w->n_functions; i++)
        mp_json_text(w->out, name_of(w, i));
    mp_json_close(w->out, ']');
    write_full_names(w);
    mp_json_key_open(w->out, "module", '[');
    for (uint32_t i = 0; i < w->n_functions; i++) {
        const struct mp_function *function = function_at(w, i);

        mp_json_signed(w->out, function && function->module < w->view->n_modules
                                   ? (int64_t)function->module
                                   : -1);
    }
    mp_json_close(w->out, ']');
    mp_json_key_open(w->out, "file", '[');
    for (uint32_t i = 0; i < w->n_functions; i++)
        mp_json_signed(w->out, number_file(w, w->functions[i].file));
    mp_json_close(w->out, ']');
    mp_json_key_open(w->out, "sort", '[');
    for (uint32_t i = 0; i < w->n_functions; i++)
        mp_json_number(w->out, w->functions[i].sort);
    mp_json_close(w->out, ']');
    mp_json_close(w->out, '}');
}

static void
write_modules(const struct writer *w)
{
    mp_json_key_open(w->out, "modules", '[');
    for (uint32_t i = 0; i < w->view->n_modules; i++)
        mp_json_text(w->out, w->view->modules[i].name);
    mp_json_close(w->out, ']');
    mp_html_names_write("files", &w->files, w->out);
}

/* ---------------------------------------------------------------- nodes and cells */

/* Writes one column of the nodes. The root's value is 0. */
static void
write_nodes_by(const struct writer *w, const char *key,
               uint32_t (*value)(const struct writer *, uint32_t))
{
    mp_json_key_open(w->out, key, '[');
    for (uint32_t i = 0; i < w->tree->n_nodes; i++)
        mp_json_number(w->out, i > 0 ? value(w, i) : 0);
    mp_json_close(w->out, ']');
}

static uint32_t
up_of(const struct writer *w, uint32_t node)
{
    return node - w->tree->nodes[node].parent;
}

static uint32_t
function_of(const struct writer *w, uint32_t node)
{
    return w->function_of[node];
}

/* Returns the location of NODE's call, or NULL if NODE is merged or the tree does not distinguish lines. */
static const struct mp_location *
place_of(const struct writer *w, uint32_t node)
{
    uint32_t from = w->tree->nodes[node].from;

    return from == MP_NO_ID || !w->tree->tree->options.lines
               ? NULL : &w->view->locations[w->tree->tree->nodes[from].location];
}

static uint32_t
line_of(const struct writer *w, uint32_t node)
{
    const struct mp_location *place = place_of(w, node);

    return place ? place->line : 0;
}

static uint32_t
inlined_of(const struct writer *w, uint32_t node)
{
    uint32_t from = w->tree->nodes[node].from;

    return from == MP_NO_ID ? 0 : mp_tree_is_tail(w->tree->tree, from) ? 2 : mp_tree_is_inlined(w->tree->tree, from);
}

/* Writes pairs of node and file, for calls that are in another file than the first call of their function. For
 * example, the function includes that file. */
static void
write_other_files(struct writer *w)
{
    mp_json_key_open(w->out, "elsewhere", '[');
    for (uint32_t i = 1; i < w->tree->n_nodes; i++) {
        const struct mp_location *place = place_of(w, i);

        if (!place || strcmp(place->file, w->functions[w->function_of[i]].file) == 0)
            continue;
        mp_json_open(w->out, '[');
        mp_json_number(w->out, i);
        mp_json_signed(w->out, number_file(w, place->file));
        mp_json_close(w->out, ']');
    }
    mp_json_close(w->out, ']');
}

static void
write_nodes(struct writer *w)
{
    mp_json_key_open(w->out, "nodes", '{');
    write_nodes_by(w, "up", up_of);
    write_nodes_by(w, "function", function_of);
    write_nodes_by(w, "line", line_of);
    write_nodes_by(w, "inlined", inlined_of);
    write_other_files(w);
    mp_json_close(w->out, '}');
}

/* Writes the smallest block size of each cell, and the largest minus the smallest. Both are 0 if they are unknown. */
static void
write_sizes(const struct writer *w)
{
    const struct mp_html_tree *tree = w->tree;

    mp_json_key_open(w->out, "sizeMin", '[');
    for (uint32_t i = 0; i < tree->n_cells; i++) {
        bool known = tree->cells[i].size_min <= tree->cells[i].size_max;

        mp_json_number(w->out, known ? tree->cells[i].size_min : 0);
    }
    mp_json_close(w->out, ']');
    mp_json_key_open(w->out, "sizeMore", '[');
    for (uint32_t i = 0; i < tree->n_cells; i++) {
        bool known = tree->cells[i].size_min <= tree->cells[i].size_max;

        mp_json_number(w->out, known ? tree->cells[i].size_max - tree->cells[i].size_min : 0);
    }
    mp_json_close(w->out, ']');
}

/* Writes the kinds of the cells. On a page of two sides, also writes the sides. */
static void
write_kinds_of_cells(const struct writer *w)
{
    const struct mp_html_tree *tree = w->tree;
    const bool sides = w->model->difference != NULL;

    mp_json_key_open(w->out, "kind", '[');
    for (uint32_t i = 0; i < tree->n_cells; i++) {
        uint32_t kind = tree->cells[i].kind;

        mp_json_number(w->out, mp_html_kind(w->view, sides ? kind & ((1u << MP_HTML_SIDE_SHIFT) - 1) : kind));
    }
    mp_json_close(w->out, ']');
    if (!sides)
        return;
    mp_json_key_open(w->out, "side", '[');
    for (uint32_t i = 0; i < tree->n_cells; i++)
        mp_json_number(w->out, tree->cells[i].kind >> MP_HTML_SIDE_SHIFT);
    mp_json_close(w->out, ']');
}

/* Writes the keys of the figures that the recording tool did not count. On a page of a point in time, `bytes` and
 * `allocs` are known, because they are replaced by live blocks. */
static void
write_unknown(const struct writer *w)
{
    const struct mp_profile *profile = w->model->profile;
    const bool alive = w->view->window && w->view->window->alive;

    if (w->model->difference)
        return;
    mp_json_key_open(w->out, "unknown", '[');
    for (size_t c = 0; c < MP_HTML_COLUMNS; c++)
        if (!(alive && c < 2) && mp_is_unknown(profile, mp_html_columns[c].figure))
            mp_json_text(w->out, mp_html_columns[c].key);
    mp_json_close(w->out, ']');
}

/* Writes the thread of each cell, if there are several threads. */
static void
write_threads_of_cells(const struct writer *w)
{
    if (w->tree->threads.n < 2)
        return;
    mp_json_key_open(w->out, "thread", '[');
    for (uint32_t i = 0; i < w->tree->n_cells; i++)
        mp_json_number(w->out, w->tree->cells[i].thread);
    mp_json_close(w->out, ']');
}

static void
write_threads(const struct writer *w)
{
    const struct mp_html_threads *threads = &w->tree->threads;

    if (threads->n < 2)
        return;
    mp_json_key_open(w->out, "threads", '[');
    for (uint32_t i = 0; i < threads->n; i++)
        mp_json_text(w->out, threads->names[i] ? threads->names[i] : "");
    mp_json_close(w->out, ']');
}

static void
write_cells(const struct writer *w)
{
    const struct mp_html_tree *tree = w->tree;

    mp_json_key_open(w->out, "cells", '{');
    mp_json_key_open(w->out, "node", '[');
    for (uint32_t i = 0; i < tree->n_cells; i++)
        mp_json_number(w->out, tree->cells[i].node - (i > 0 ? tree->cells[i - 1].node : 0));
    mp_json_close(w->out, ']');
    write_kinds_of_cells(w);
    write_threads_of_cells(w);
    write_sizes(w);
    for (size_t c = 0; c < MP_HTML_COLUMNS; c++) {
        mp_json_key_open(w->out, mp_html_columns[c].key, '[');
        for (uint32_t i = 0; i < tree->n_cells; i++)
            mp_json_signed(w->out, tree->cells[i].figures[c]);
        mp_json_close(w->out, ']');
    }
    mp_json_close(w->out, '}');
}

/* ---------------------------------------------------------------- the whole */

static void
write_left(const struct writer *w)
{
    const struct mp_html_tree *tree = w->tree;

    mp_json_key_open(w->out, "left", '{');
    mp_json_key_number(w->out, "nodes", tree->left);
    mp_json_key_number(w->out, "bytes", tree->left_counts.bytes);
    mp_json_key_number(w->out, "allocs", tree->left_counts.allocs);
    mp_json_key(w->out, "kept");
    mp_json_signed(w->out, (int64_t)tree->left_counts.kept);
    mp_json_key_bool(w->out, "moments", w->model->no_room_for_moments);
    mp_json_key_bool(w->out, "sources", w->model->no_room_for_sources);
    mp_json_close(w->out, '}');
}

/* Writes the version of the model, and properties of the recording. */
static void
write_meta(const struct writer *w)
{
    const struct mp_meta *meta = &w->model->profile->meta;

    mp_json_key_number(w->out, "version", 1);
    mp_json_key_text(w->out, "program", meta->program);
    mp_json_key_open(w->out, "arguments", '[');
    for (uint32_t i = 0; i < meta->n_arguments; i++)
        mp_json_text(w->out, meta->arguments[i]);
    mp_json_close(w->out, ']');
    mp_json_key_text(w->out, "language", meta->language);
    mp_json_key_bool(w->out, "running", meta->ending == MP_END_RUNNING || meta->ending == MP_END_SNAPSHOT);
    mp_json_key_bool(w->out, "estimated",
                     mp_is_estimated(meta) || (w->model->difference && w->model->difference->estimated));
    write_unknown(w);
    mp_json_key(w->out, "peakBytes");
    mp_json_signed(w->out, meta->peak_bytes);
    mp_json_key_number(w->out, "peakSlack", meta->peak_slack);
    mp_json_key_number(w->out, "duration", meta->duration);
}

/* Writes the members that only a page of one profile has. */
static void
write_recording(const struct writer *w)
{
    const struct mp_html_model *model = w->model;
    struct mp_head *head = mp_head(model->profile, w->view, model->lisp);

    mp_html_head_write(head, w->out);
    mp_head_free(head);
    if (model->part)
        mp_html_part_write(model->part, w->out);
    mp_html_tables_write(model, w->out);
    mp_html_time_write(model, w->out);
    mp_html_resident_write(w->view, w->out);
    if (model->heaps)
        mp_html_heap_write(model->heaps, w->out);
    mp_html_findings_write(model, w->out);
}

void
mp_html_model_write(const struct mp_html_model *model, struct mp_buffer *out)
{
    struct mp_arena *arena = mp_arena_new();
    struct writer w = {.model = model,
                       .view = model->tree->tree->profile,
                       .tree = model->tree,
                       .out = out,
                       .files.arena = arena,
                       .arena = arena};

    number_functions(&w);
    mp_json_open(out, '{');
    write_meta(&w);
    if (model->difference)
        mp_html_difference_write(model->difference, out);
    else
        write_recording(&w);
    mp_html_kinds_write(w.view, out);
    write_functions(&w);
    write_nodes(&w);
    write_modules(&w);
    write_threads(&w);
    write_cells(&w);
    if (model->sources)
        mp_html_sources_write(&w.files, model->profile, w.tree->tree, model->sources, out);
    if (model->sums) {
        mp_json_key(out, "sums");
        mp_buffer_bytes(out, model->sums->bytes, model->sums->size);
    }
    write_left(&w);
    mp_json_close(out, '}');
    mp_arena_free(arena);
}
