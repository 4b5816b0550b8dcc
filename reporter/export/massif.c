/* SPDX-License-Identifier: MIT */
/*
 * Writes massif's format, for ms_print and massif-visualizer: the live bytes at many points in time, and, at some of
 * these points, the chains that allocated them, innermost call first.
 *
 * Times come from the time line. The peak and the end have all chains. At other points in time, small chains are
 * summed up in one line, as in massif's own files.
 */
#include "export_formats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/base/map.h"
#include "reporter/base/search.h"
#include "reporter/graph/tree.h"

/* Maximum calls of a chain. The nth call is indented by n blanks, and ms_print, a recursive Perl program, warns if
 * calls are nested more than 100 deep. */
#define MOST_CALLERS 96u

struct snapshot {
    uint64_t time;              /* ns */
    uint64_t bytes;
    uint32_t moment;            /* moment of the time line whose chains are written, or MP_NO_ID */
    bool at_end, at_peak;       /* if there is no time line, the chains of the end or the peak are written */
};

/* A call that allocated some of the bytes of a snapshot, with its parent, which is the call inside it. */
struct place {
    uint32_t parent;
    uint32_t node;              /* the call in the tree, or 0 for objects of `kind` */
    uint32_t kind;
    uint64_t bytes;
    uint32_t first, n;          /* children in `order` */
};

struct writer {
    const struct mp_export *export;
    const struct mp_tree *tree;
    uint32_t *node_of;          /* by context of the view that has cells */
    struct snapshot *snapshots;
    uint32_t n_snapshots, snapshots_room;
    bool peak_is_anywhere;      /* the time of the peak is not known */
    struct place *places;       /* places of one snapshot; the first contains all bytes */
    uint32_t places_room;
    struct mp_map keys;         /* keys of places: parent and the call as it is shown */
    uint32_t *order;            /* places sorted by parent, largest first */
    uint64_t threshold;         /* places with fewer bytes are summed up; 0 to keep all */
    struct mp_arena *arena, *scratch;   /* `arena` owns everything except the data of one snapshot, in `scratch` */
    FILE *out;
};

/* ---------------------------------------------------------------- places */

static uint32_t
place_of(struct writer *w, uint32_t parent, uint64_t step, uint32_t node, uint32_t kind)
{
    const uint64_t key[] = {parent, step};
    uint32_t known = w->keys.count, id = mp_map_add(&w->keys, key, sizeof key);

    if (id == known) {
        w->places = mp_arena_grow(w->scratch, w->places, id + 1, &w->places_room, sizeof *w->places);
        w->places[id + 1] = (struct place){.parent = parent, .node = node, .kind = kind};
    }
    return id + 1;
}

static void
add_bytes(struct writer *w, uint32_t context, uint32_t kind, uint64_t bytes)
{
    uint32_t node = w->node_of[context], place = 0;

    w->places[0].bytes = mp_plus(w->places[0].bytes, bytes);
    if (kind >= MP_KIND_LISP) {
        place = place_of(w, place, (uint64_t)1 << 32 | kind, 0, kind);
        w->places[place].bytes = mp_plus(w->places[place].bytes, bytes);
    }
    for (uint32_t i = 0; node > 0 && i < MOST_CALLERS; node = w->tree->nodes[node].parent, i++) {
        place = place_of(w, place, w->tree->nodes[node].step, node, 0);
        w->places[place].bytes = mp_plus(w->places[place].bytes, bytes);
    }
}

static int
compare_places(const void *left, const void *right, void *data)
{
    const struct place *places = data;
    uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
    const struct place *a = &places[x], *b = &places[y];

    if (a->parent != b->parent)
        return mp_order(a->parent, b->parent);
    return a->bytes != b->bytes ? mp_order(b->bytes, a->bytes) : mp_order(x, y);
}

static void
order_places(struct writer *w)
{
    uint32_t n = w->keys.count;

    w->order = mp_arena_alloc(w->scratch, ((size_t)n + 1) * sizeof *w->order);
    for (uint32_t i = 0; i < n; i++)
        w->order[i] = i + 1;
    qsort_r(w->order, n, sizeof *w->order, compare_places, w->places);
    for (uint32_t i = n; i-- > 0;) {
        struct place *parent = &w->places[w->places[w->order[i]].parent];

        parent->first = i;
        parent->n++;
    }
}

/* Makes the places of SNAPSHOT, which must have chains. */
static void
find_places(struct writer *w, const struct snapshot *snapshot)
{
    const struct mp_profile *view = w->export->view;

    w->keys = (struct mp_map){.arena = w->scratch};
    w->places_room = 0;
    w->places = mp_arena_grow(w->scratch, NULL, 0, &w->places_room, sizeof *w->places);
    w->places[0] = (struct place){0};
    if (snapshot->moment != MP_NO_ID) {
        uint32_t n;
        const struct mp_live *live = mp_timeline_live(view, snapshot->moment, &n, w->scratch);

        for (uint32_t i = 0; i < n; i++)
            if (live[i].bytes > 0)
                add_bytes(w, live[i].context, live[i].kind, (uint64_t)live[i].bytes);
    }
    for (uint32_t i = 0; snapshot->moment == MP_NO_ID && i < view->n_cells; i++) {
        const struct mp_basic_counts *counts = &view->cells[i].counts;
        int64_t bytes = snapshot->at_peak ? counts->peak_bytes : (int64_t)(counts->bytes - counts->freed);

        if (bytes > 0)
            add_bytes(w, view->cells[i].context, view->cells[i].kind, (uint64_t)bytes);
    }
    order_places(w);
}

/* ---------------------------------------------------------------- snapshots */

static struct snapshot *
add_snapshot(struct writer *w, uint64_t time, uint32_t moment)
{
    w->snapshots = mp_arena_grow(w->arena, w->snapshots, w->n_snapshots, &w->snapshots_room,
                                 sizeof *w->snapshots);
    w->snapshots[w->n_snapshots] = (struct snapshot){.time = time, .moment = moment};
    return &w->snapshots[w->n_snapshots++];
}

/* Returns whether the view is the whole recording. Totals of the time line are of the whole process, so they are not
 * written for a part. */
static bool
is_whole(const struct mp_export *export)
{
    struct mp_totals part, whole;

    mp_profile_totals(export->view, &part);
    mp_profile_totals(export->profile, &whole);
    return part.all.allocs == whole.all.allocs && part.all.bytes == whole.all.bytes;
}

static int
compare_snapshots(const void *left, const void *right)
{
    const struct snapshot *a = left, *b = right;

    if (a->time != b->time)
        return mp_order(a->time, b->time);
    if (a->at_end != b->at_end)
        return a->at_end ? 1 : -1;
    return mp_order(a->moment, b->moment);
}

static void
take_timeline(struct writer *w, const struct mp_timeline *timeline)
{
    for (uint32_t i = 0; i < timeline->n_moments; i++) {
        const struct mp_moment *moment = &timeline->moments[i];

        if (mp_moment_is_known(moment))
            add_snapshot(w, moment->time, i)->at_peak = moment->kind == MP_MOMENT_PEAK;
        if (moment->kind == MP_MOMENT_END)
            w->snapshots[w->n_snapshots - 1].at_end = true;
    }
    if (is_whole(w->export))
        for (uint32_t i = 0; i < timeline->n_points; i++)
            if (timeline->points[i].live != MP_NOT_SEEN)
                add_snapshot(w, timeline->points[i].time, MP_NO_ID)->bytes = timeline->points[i].live;
}

/* Collects the snapshots and sorts them. If the time of the peak is not known, puts the peak at 0. */
static void
take_snapshots(struct writer *w)
{
    const struct mp_profile *view = w->export->view;
    uint64_t end = w->export->profile->meta.duration;
    bool ends = false, peaks = !mp_export_knows(view, MP_FIGURE_PEAK_BYTES);

    if (view->timeline)
        take_timeline(w, view->timeline);
    for (uint32_t i = 0; i < w->n_snapshots; i++) {
        ends |= w->snapshots[i].at_end;
        peaks |= w->snapshots[i].at_peak;
        end = w->snapshots[i].time > end ? w->snapshots[i].time : end;
    }
    w->peak_is_anywhere = !peaks;
    if (!peaks)
        add_snapshot(w, 0, MP_NO_ID)->at_peak = true;
    if (!ends)
        add_snapshot(w, end, MP_NO_ID)->at_end = true;
    qsort(w->snapshots, w->n_snapshots, sizeof *w->snapshots, compare_snapshots);
}

/* ---------------------------------------------------------------- text */

static void
put_node(const struct writer *w, const struct place *place, uint32_t n, uint32_t depth)
{
    fprintf(w->out, "%*sn%" PRIu32 ": %" PRIu64 " ", (int)depth, "", n, place->bytes);
    if (depth == 0)
        fputs("(heap allocation functions) malloc/new/new[], --alloc-fns, etc.", w->out);
    else if (place->node == 0)
        mp_export_put_uncommented(mp_export_kind_text(w->tree, place->kind, w->scratch), w->out);
    else
        mp_export_put_uncommented(mp_export_frame_text(w->tree, place->node, w->scratch), w->out);
    fputc('\n', w->out);
}

/* Writes PLACE and its callers. The depth of recursion is that of chains, see MOST_CALLERS. */
static void
put_place(const struct writer *w, const struct place *place, uint32_t depth)
{
    uint32_t n = place->n;
    uint64_t rest = 0;

    while (n > 0 && w->places[w->order[place->first + n - 1]].bytes < w->threshold)
        rest += w->places[w->order[place->first + --n]].bytes;
    put_node(w, place, n + (n < place->n), depth);
    for (uint32_t i = 0; i < n; i++)
        put_place(w, &w->places[w->order[place->first + i]], depth + 1);
    if (n < place->n)
        fprintf(w->out, "%*sn0: %" PRIu64 " in %" PRIu32 " place%s below massif's threshold (1.00%%)\n",
                (int)depth + 1, "", rest, place->n - n, place->n - n == 1 ? "," : "s, all");
}

static void
put_snapshot(struct writer *w, uint32_t number, const struct snapshot *snapshot)
{
    const bool chains = snapshot->moment != MP_NO_ID || snapshot->at_peak || snapshot->at_end;
    uint64_t bytes = snapshot->bytes;

    w->scratch = mp_arena_new();
    if (chains) {
        find_places(w, snapshot);
        bytes = w->places[0].bytes;
        w->threshold = snapshot->at_peak || snapshot->at_end ? 0 : bytes / 100;
    }
    fprintf(w->out, "#-----------\nsnapshot=%" PRIu32 "\n#-----------\n", number);
    fprintf(w->out, "time=%" PRIu64 "\nmem_heap_B=%" PRIu64 "\n", (snapshot->time + 999999) / 1000000, bytes);
    fputs("mem_heap_extra_B=0\nmem_stacks_B=0\n", w->out);
    fprintf(w->out, "heap_tree=%s\n", !chains || bytes == 0 ? "empty"
            : snapshot->at_peak ? "peak" : "detailed");
    if (chains && bytes > 0)
        put_place(w, &w->places[0], 0);
    mp_arena_free(w->scratch);
}

/* Writes the remarks as the only line `desc:`, which massif-visualizer requires. */
static void
put_description(const struct writer *w)
{
    char *remark = mp_export_remark(w->export), *rest = remark, *line;
    const char *before = "desc: ";

    while ((line = strsep(&rest, "\n")) != NULL && rest) {
        fputs(before, w->out);
        mp_export_put_uncommented(line, w->out);
        before = "; ";
    }
    if (!w->export->view->timeline && !w->export->view->window && w->peak_is_anywhere)
        fputs("; when the peak was is not known: it is written at 0", w->out);
    fputc('\n', w->out);
    free(remark);
}

static void
put_head(const struct writer *w)
{
    char *command = mp_export_command(&w->export->profile->meta);

    put_description(w);
    fputs("cmd: ", w->out);
    mp_export_put_uncommented(command, w->out);
    fputs("\ntime_unit: ms\n", w->out);
    free(command);
}

bool
mp_export_massif(const struct mp_export *export, FILE *out, struct mp_error *error)
{
    const struct mp_tree_options options = {
        .all_frames = export->all_frames, .lines = true, .paths = true};
    struct mp_arena *arena = mp_arena_new();
    struct mp_tree *tree = mp_tree_build(export->view, &options);
    struct writer w = {.export = export, .tree = tree, .arena = arena, .out = out};

    (void)error;
    w.node_of = mp_arena_alloc(arena, export->view->n_contexts * sizeof *w.node_of);
    for (uint32_t i = 0; i < tree->n_nodes; i++)
        for (uint32_t j = 0; j < mp_tree_cells(tree, i); j++)
            w.node_of[export->view->cells[tree->cells[tree->nodes[i].first_cell + j]].context] = i;
    take_snapshots(&w);
    put_head(&w);
    for (uint32_t i = 0; i < w.n_snapshots; i++)
        put_snapshot(&w, i, &w.snapshots[i]);
    mp_tree_free(tree);
    mp_arena_free(arena);
    return true;
}
