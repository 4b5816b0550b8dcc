/* SPDX-License-Identifier: MIT */
/*
 * Writes DHAT's JSON, version 2, for valgrind's dh_view.html.
 *
 * The viewer shows what lived at the peak and at the end only if the file claims to have lifetimes of blocks (bklt).
 * This file has no lifetimes, so the viewer shows averages that depend on them as NaN. The maximum of each chain is not
 * known either. The larger of its figures at the peak and at the end is written, which is a lower bound.
 */
#include "export_formats.h"

#include <inttypes.h>
#include <stdlib.h>

#include "reporter/base/json.h"
#include "reporter/base/map.h"
#include "reporter/graph/tree.h"

struct writer {
    const struct mp_tree *tree;
    struct mp_buffer json;
    struct mp_map frames;       /* texts of calls and kinds of objects; ids are the indices in the frame table minus
                                   1 */
    const char **texts;         /* by id */
    uint32_t texts_room;
    bool lifetimes;             /* figures of the peak are known; otherwise, points have allocated bytes and blocks
                                   only */
    struct mp_arena *arena;
};

static int64_t
microseconds(uint64_t time)
{
    return (int64_t)(time / 1000);
}

/* Returns the time of the peak in microseconds, or -1 if it is not known. */
static int64_t
peak_time(const struct mp_profile *profile)
{
    uint32_t moment = mp_timeline_find(profile->timeline, MP_MOMENT_PEAK);

    return moment == MP_NO_ID ? -1 : microseconds(profile->timeline->moments[moment].time);
}

/* ---------------------------------------------------------------- frames */

static bool
is_new(struct writer *w, uint64_t key, uint32_t *id)
{
    uint32_t known = w->frames.count;

    *id = mp_map_add_u64(&w->frames, key);
    if (*id != known)
        return false;
    w->texts = mp_arena_grow(w->arena, w->texts, *id, &w->texts_room, sizeof *w->texts);
    return true;
}

static uint32_t
frame_of(struct writer *w, uint32_t node)
{
    uint32_t id;

    if (is_new(w, w->tree->nodes[node].step, &id))
        w->texts[id] = mp_export_frame_text(w->tree, node, w->arena);
    return id + 1;
}

static uint32_t
frame_of_kind(struct writer *w, uint32_t kind)
{
    uint32_t id;

    if (is_new(w, (uint64_t)1 << 32 | kind, &id))
        w->texts[id] = mp_export_kind_text(w->tree, kind, w->arena);
    return id + 1;
}

/* Writes the chain of NODE, innermost call first. An object's type is written as the innermost call. */
static void
put_chain(struct writer *w, uint32_t node, uint32_t kind)
{
    mp_json_key(&w->json, "fs");
    mp_json_open(&w->json, '[');
    if (kind >= MP_KIND_LISP)
        mp_json_number(&w->json, frame_of_kind(w, kind));
    for (; node > 0; node = w->tree->nodes[node].parent)
        mp_json_number(&w->json, frame_of(w, node));
    mp_json_close(&w->json, ']');
}

/* ---------------------------------------------------------------- program points */

static void
put_point(struct writer *w, uint32_t node, uint32_t kind, const struct mp_counts *counts)
{
    const uint64_t peak = mp_export_positive(counts->peak_bytes);
    const uint64_t peak_blocks = mp_export_positive(counts->peak_blocks);
    const uint64_t end = mp_export_positive((int64_t)(counts->bytes - counts->freed));
    const uint64_t end_blocks = mp_export_positive((int64_t)(counts->allocs - counts->frees));
    const bool peak_is_more = peak > end || (peak == end && peak_blocks > end_blocks);

    mp_json_open(&w->json, '{');
    mp_json_key_number(&w->json, "tb", counts->bytes);
    mp_json_key_number(&w->json, "tbk", counts->allocs);
    if (!w->lifetimes) {
        put_chain(w, node, kind);
        mp_json_close(&w->json, '}');
        return;
    }
    mp_json_key_number(&w->json, "mb", peak_is_more ? peak : end);
    mp_json_key_number(&w->json, "mbk", peak_is_more ? peak_blocks : end_blocks);
    mp_json_key_number(&w->json, "gb", peak);
    mp_json_key_number(&w->json, "gbk", peak_blocks);
    mp_json_key_number(&w->json, "eb", end);
    mp_json_key_number(&w->json, "ebk", end_blocks);
    put_chain(w, node, kind);
    mp_json_close(&w->json, '}');
}

/* Writes the program points of NODE: one for all blocks of malloc, and one for each kind of object. */
static void
put_node(struct writer *w, uint32_t node)
{
    struct mp_tree_part part = {.node = node};
    struct mp_counts blocks = {0};

    while (mp_tree_next(w->tree, &part)) {
        if (part.kind >= MP_KIND_LISP)
            put_point(w, node, part.kind, &part.counts);
        else
            mp_counts_add(&blocks, &part.counts);
    }
    if (mp_counts_any(&blocks))
        put_point(w, node, MP_KIND_SMALL, &blocks);
}

static void
put_points(struct writer *w)
{
    mp_json_key(&w->json, "pps");
    mp_json_open(&w->json, '[');
    for (uint32_t i = 0; i < w->tree->n_nodes; i++)
        if (mp_tree_cells(w->tree, i) > 0)
            put_node(w, i);
    mp_json_close(&w->json, ']');
    mp_json_key(&w->json, "ftbl");
    mp_json_open(&w->json, '[');
    mp_json_text(&w->json, "[root]");
    for (uint32_t i = 0; i < w->frames.count; i++)
        mp_json_text(&w->json, w->texts[i]);
    mp_json_close(&w->json, ']');
}

/* ---------------------------------------------------------------- the file */

static void
put_head(struct writer *w, const struct mp_export *export)
{
    const struct mp_meta *meta = &export->profile->meta;
    char *command = mp_export_command(&export->profile->meta), *remark = mp_export_remark(export);

    mp_json_key_number(&w->json, "dhatFileVersion", 2);
    mp_json_key_text(&w->json, "mode", "heap");
    mp_json_key_text(&w->json, "verb", "Allocated");
    mp_json_key(&w->json, "bklt");
    mp_json_bool(&w->json, w->lifetimes);
    mp_json_key(&w->json, "bkacc");
    mp_json_bool(&w->json, false);
    mp_json_key_text(&w->json, "tu", "\xC2\xB5s");
    mp_json_key_text(&w->json, "Mtu", "s");
    mp_json_key_number(&w->json, "tuth", 500);
    mp_json_key_text(&w->json, "cmd", command);
    mp_json_key_number(&w->json, "pid", meta->pid);
    if (w->lifetimes) {
        mp_json_key(&w->json, "tg");
        mp_json_signed(&w->json, peak_time(export->profile));
    }
    mp_json_key(&w->json, "te");
    mp_json_signed(&w->json, microseconds(meta->duration));
    mp_json_key_text(&w->json, "remark", remark);
    free(command);
    free(remark);
}

bool
mp_export_dhat(const struct mp_export *export, FILE *out, struct mp_error *error)
{
    const struct mp_tree_options options = {
        .all_frames = export->all_frames, .lines = true, .paths = true};
    struct mp_arena *arena = mp_arena_new();
    struct mp_tree *tree = mp_tree_build(export->view, &options);
    struct writer w = {.tree = tree, .frames.arena = arena, .arena = arena,
                       .lifetimes = !mp_is_unknown(export->view, MP_FIGURE_PEAK_BYTES)};

    (void)error;
    mp_json_open(&w.json, '{');
    put_head(&w, export);
    put_points(&w);
    mp_json_close(&w.json, '}');
    mp_json_end(&w.json, out);
    mp_tree_free(tree);
    mp_arena_free(arena);
    return true;
}
