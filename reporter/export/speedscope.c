/* SPDX-License-Identifier: MIT */
/*
 * Writes speedscope's own format: all functions, and for each figure a profile whose samples are chains, as lists of
 * functions with the outermost first. The format has no negative weights, so chains that shrank are left out, as in a
 * flame graph.
 */
#include "config.h"
#include "export_formats.h"
#include "reporter/base/json.h"
#include "reporter/base/text.h"
#include "reporter/graph/tree.h"
#include "reporter/view/sort.h"

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

struct speedscope {
    const struct mp_export *export;
    const struct mp_tree *tree;
    struct mp_counts *self;     /* by node */
    uint32_t *path;             /* buffer for the longest chain */
    struct mp_buffer buffer;
    FILE *out;
};

static void
put_frames(struct speedscope *s)
{
    const struct mp_profile *view = s->tree->profile;
    struct mp_buffer *out = &s->buffer;

    mp_json_key(out, "shared");
    mp_json_open(out, '{');
    mp_json_key(out, "frames");
    mp_json_open(out, '[');
    for (uint32_t i = 0; i < view->n_functions; i++) {
        const struct mp_function *function = &view->functions[i];

        mp_json_open(out, '{');
        mp_json_key_text(out, "name", function->text);
        if (function->file && function->file[0])
            mp_json_key_text(out, "file", function->file);
        mp_json_close(out, '}');
        mp_json_drain(&s->buffer, s->out);
    }
    mp_json_close(out, ']');
    mp_json_close(out, '}');
}

static uint64_t
weight_of(const struct speedscope *s, uint32_t node, enum mp_sort cost)
{
    if (cost == MP_SORT_KEPT && (int64_t)s->self[node].kept < 0)
        return 0;
    return mp_counts_key(&s->self[node], cost);
}

static void
put_chain(struct speedscope *s, uint32_t node)
{
    uint32_t n = 0;

    mp_json_open(&s->buffer, '[');
    for (; node > 0; node = s->tree->nodes[node].parent)
        s->path[n++] = mp_tree_function(s->tree, node);
    while (n > 0) {
        mp_json_number(&s->buffer, s->path[--n]);
        mp_json_drain(&s->buffer, s->out);
    }
    mp_json_close(&s->buffer, ']');
}

static void
put_samples(struct speedscope *s, enum mp_sort cost)
{
    mp_json_key(&s->buffer, "samples");
    mp_json_open(&s->buffer, '[');
    for (uint32_t i = 0; i < s->tree->n_nodes; i++)
        if (weight_of(s, i, cost) > 0)
            put_chain(s, i);
    mp_json_close(&s->buffer, ']');
    mp_json_key(&s->buffer, "weights");
    mp_json_open(&s->buffer, '[');
    for (uint32_t i = 0; i < s->tree->n_nodes; i++) {
        if (weight_of(s, i, cost) > 0)
            mp_json_number(&s->buffer, weight_of(s, i, cost));
        mp_json_drain(&s->buffer, s->out);
    }
    mp_json_close(&s->buffer, ']');
}

static void
put_profile(struct speedscope *s, enum mp_sort cost)
{
    uint64_t total = 0;

    for (uint32_t i = 0; i < s->tree->n_nodes; i++)
        total = mp_plus(total, weight_of(s, i, cost));
    mp_json_open(&s->buffer, '{');
    mp_json_key_text(&s->buffer, "type", "sampled");
    mp_json_key_text(&s->buffer, "name", mp_sorts[cost].what);
    mp_json_key_text(&s->buffer, "unit", mp_sort_is_blocks(cost) ? "none" : "bytes");
    mp_json_key_number(&s->buffer, "startValue", 0);
    mp_json_key_number(&s->buffer, "endValue", total);
    put_samples(s, cost);
    mp_json_close(&s->buffer, '}');
}

static void
put_all(struct speedscope *s)
{
    struct mp_buffer *out = &s->buffer;

    mp_json_open(out, '{');
    mp_json_key_text(out, "$schema", SCHEMA);
    mp_json_key_text(out, "exporter", PACKAGE_STRING);
    mp_json_key_text(out, "name", mp_text_basename(s->export->profile->meta.program));
    mp_json_key_number(out, "activeProfileIndex", 0);
    put_frames(s);
    mp_json_key(out, "profiles");
    mp_json_open(out, '[');
    for (enum mp_sort cost = 0; cost < MP_SORTS; cost++)
        if (mp_export_knows(s->export->view, mp_sorts[cost].figure))
            put_profile(s, cost);
    mp_json_close(out, ']');
    mp_json_close(out, '}');
    mp_json_end(out, s->out);
}

bool
mp_export_speedscope(const struct mp_export *export, FILE *out, struct mp_error *error)
{
    const struct mp_tree_options options = {.all_frames = export->all_frames};
    struct mp_tree *tree = mp_tree_build(export->view, &options);
    struct mp_arena *arena = mp_arena_new();
    struct speedscope s = {.export = export, .tree = tree, .out = out};

    (void)error;
    s.self = mp_arena_alloc(arena, tree->n_nodes * sizeof *s.self);
    s.path = mp_arena_alloc(arena, tree->n_nodes * sizeof *s.path);
    for (uint32_t i = 0; i < tree->n_nodes; i++)
        s.self[i] = mp_tree_self(tree, i);
    put_all(&s);
    mp_buffer_free(&s.buffer);
    mp_arena_free(arena);
    mp_tree_free(tree);
    return true;
}
