/* SPDX-License-Identifier: MIT */
/* live_tree.c -- reads the records of contexts and makes one tree of them. */
#include "live_parts.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/base/search.h"

/* ---------------------------------------------------------------- records */

bool
mp_live_damaged(const struct mp_live_reading *reading, enum mp_extent_kind kind, size_t index,
                size_t field_offset, const char *problem, struct mp_error *error)
{
    uint64_t offset = mp_image_offset(&reading->image, kind, index) + field_offset;

    return mp_fail(error, MP_ERR_DAMAGED, offset, "%s: %s", reading->image.input->name, problem);
}

/*
 * Handles a context whose parent is not in the copy. While a process runs, the parent and the context may be created
 * between the copies of their extents. Cells were copied before, so no copied cell uses such a context, and the context
 * is left out with all its descendants. In the file of an ended process, a missing parent is damage.
 */
static bool
without_parent(const struct mp_live_reading *reading, size_t index, size_t field,
               struct mp_error *error)
{
    return reading->image.alive ||
           mp_live_damaged(reading, MP_EXT_CONTEXTS, index, field, "a context's parent is not there",
                           error);
}

/* Sets *PARENT to the parent of the run that begins with HEADER at SLOT. The parent's slot must precede the run. */
static bool
find_parent(struct mp_live_reading *reading, size_t slot, uint32_t header, size_t *parent,
            struct mp_error *error)
{
    const uint32_t id = header & ~MP_CONTEXT_RUN;

    *parent = reading->image.tables[MP_EXT_CONTEXTS].count;
    if (id == 0)
        return true;
    *parent = mp_image_find(&reading->image, MP_EXT_CONTEXTS, id);
    if (*parent != MP_NO_RECORD && *parent > slot)
        return mp_live_damaged(reading, MP_EXT_CONTEXTS, slot, 0,
                               "a context's parent stands behind it", error);
    if (*parent != MP_NO_RECORD && reading->contexts[*parent].frame != 0)
        return true;
    *parent = MP_NO_RECORD;
    return without_parent(reading, slot, 0, error);
}

/* Reads the slots [FROM, TO) of one extent. If it GOES_ON, its ids directly follow the previous extent's ids, and a
 * run may continue from there. */
static bool
read_slots(struct mp_live_reading *reading, size_t from, size_t to, bool goes_on, size_t *parent,
           struct mp_error *error)
{
    const uint32_t *slots = (const void *)reading->image.tables[MP_EXT_CONTEXTS].records;

    if (!goes_on)
        *parent = MP_NO_RECORD;
    for (size_t i = from; i < to; i++) {
        if (slots[i] & MP_CONTEXT_RUN) {
            if (!find_parent(reading, i, slots[i], parent, error))
                return false;
        } else if (slots[i] == 0) {
            *parent = MP_NO_RECORD;
        } else if (*parent == MP_NO_RECORD) {
            if (!without_parent(reading, i, 0, error))
                return false;
        } else {
            reading->contexts[i] = (struct mp_live_node){slots[i], (uint32_t)*parent};
            *parent = i;
        }
    }
    return true;
}

static bool
read_runs(struct mp_live_reading *reading, struct mp_error *error)
{
    const struct mp_image_table *table = &reading->image.tables[MP_EXT_CONTEXTS];
    size_t parent = MP_NO_RECORD;

    for (uint32_t i = 0; i < table->n_extents; i++) {
        const struct mp_image_extent *extent = &table->extents[i];
        bool goes_on = i > 0 && extent->first == extent[-1].first + extent[-1].count;

        if (!read_slots(reading, extent->index, extent->index + extent->count, goes_on, &parent,
                        error))
            return false;
    }
    return true;
}

bool
mp_live_contexts(struct mp_live_reading *reading, struct mp_error *error)
{
    reading->n_contexts = reading->image.tables[MP_EXT_CONTEXTS].count;
    reading->contexts = mp_arena_alloc(reading->scratch, reading->n_contexts * sizeof *reading->contexts);
    return read_runs(reading, error);
}

/* ---------------------------------------------------------------- a part of the threads */

/*
 * Limits a live file to the allocations of one thread, that is, of one recorder.
 *
 * Each context belongs to the tree of one recorder. The wanted contexts are those in which the wanted recorder has
 * allocated. Records of all other contexts are marked as not in use.
 */

static bool
is_wanted(const struct mp_live_reading *reading, uint32_t context)
{
    const size_t record = mp_image_find(&reading->image, MP_EXT_CONTEXTS, context);

    return record != MP_NO_RECORD && reading->wanted[record];
}

static void
find_wanted(struct mp_live_reading *reading)
{
    const struct mp_image_table *cells = &reading->image.tables[MP_EXT_CELLS];

    for (size_t i = 0; i < cells->count; i++) {
        const struct mp_live_cell *cell = (const void *)(cells->records + i * cells->record_size);
        const size_t record = cell->context && cell->recorder == reading->request->recorder && cell->allocs > 0
                                  ? mp_image_find(&reading->image, MP_EXT_CONTEXTS, cell->context) : MP_NO_RECORD;

        if (record != MP_NO_RECORD)
            reading->wanted[record] = true;
    }
}

/* Drops the records of KIND whose context is not wanted. All such records begin with the id of their context. */
static void
drop_others(struct mp_live_reading *reading, enum mp_extent_kind kind)
{
    struct mp_image_table *table = &reading->image.tables[kind];

    for (size_t i = 0; i < table->count; i++) {
        uint32_t *context = (void *)(table->records + i * table->record_size);

        if (*context && !is_wanted(reading, *context))
            *context = 0;
    }
}

void
mp_live_part_cells(struct mp_live_reading *reading)
{
    if (reading->request->recorder)
        drop_others(reading, MP_EXT_CELLS);
}

bool
mp_live_part(struct mp_live_reading *reading, struct mp_error *error)
{
    const struct mp_image_table *recorders = &reading->image.tables[MP_EXT_RECORDERS];
    const uint32_t recorder = reading->request->recorder;
    const size_t record = recorder ? mp_image_find(&reading->image, MP_EXT_RECORDERS, recorder) : MP_NO_RECORD;

    if (!recorder)
        return true;
    if (record == MP_NO_RECORD)
        return mp_fail(error, MP_ERR_UNKNOWN, MP_NO_OFFSET, "%s: what the thread allocated",
                       reading->image.input->name);
    reading->wanted = mp_arena_alloc(reading->scratch,
                                     reading->image.tables[MP_EXT_CONTEXTS].count * sizeof *reading->wanted);
    find_wanted(reading);
    mp_live_part_cells(reading);
    drop_others(reading, MP_EXT_AGES);
    drop_others(reading, MP_EXT_RESIZED);
    drop_others(reading, MP_EXT_LIFETIMES);
    reading->profile->meta.one_thread =
        ((const struct mp_live_recorder *)(const void *)(recorders->records + record * recorders->record_size))->tid;
    return true;
}

/* ---------------------------------------------------------------- the tree */

/*
 * Merges the context trees of all recorders by path.
 *
 * Records are sorted by parent, then by frame, with counting sorts. The merged tree is then walked depth-first. A
 * node of it is the set of all records with the same path. Its children are the children of all members, grouped by
 * frame. Each record is in one set, so the work is linear if one recorder made the tree. Nothing recurses. The walk
 * reaches all records that are in use, because the parent of each is the root or an earlier record in use.
 */

/* Records with the same path, order[from..to), which become a child of context `parent`. */
struct group {
    size_t from, to;
    uint32_t parent;
};

struct walk {
    size_t n;                   /* number of records; index n is the root */
    struct mp_live_node *nodes; /* frame ids are the profile's; MP_NO_ID = not in use */
    uint32_t *start;            /* n + 2 elements; the children of i are order[start[i]..start[i + 1]) */
    uint32_t *order;            /* n sorted records, then space for n gathered children */
    size_t gathered;            /* end of the gathered children */
    struct group *stack;
    uint32_t depth, room;
};

/* Replaces the file's frame ids by the profile's, and by MP_NO_ID in unused contexts. */
static void
find_frames(struct mp_live_reading *reading)
{
    for (size_t i = 0; i < reading->n_contexts; i++) {
        uint32_t *frame = &reading->contexts[i].frame;

        if (*frame == 0)
            *frame = MP_NO_ID;
        else if (*frame < MP_FRAME_FIRST)
            *frame = reading->mark_of[*frame];
        else
            *frame = reading->frame_of[mp_image_find(&reading->image, MP_EXT_FRAMES, *frame)];
    }
}

/* Converts counts to positions: counts[i] becomes the position of the first element with key i. */
static void
counts_to_places(uint32_t *counts, size_t n)
{
    uint32_t sum = 0;

    for (size_t i = 0; i < n; i++) {
        uint32_t count = counts[i];

        counts[i] = sum;
        sum += count;
    }
}

/* Sorts the records by frame into the second half of `order`, from there by parent into the first half. The second
 * sort is stable. */
static void
sort_records(struct mp_live_reading *reading, struct walk *walk)
{
    size_t n_frames = reading->profile->n_frames, used = 0;
    uint32_t *places = mp_arena_alloc(reading->scratch, n_frames * sizeof *places);
    uint32_t *by_frame = walk->order + walk->n;

    for (size_t i = 0; i < walk->n; i++) {
        if (walk->nodes[i].frame != MP_NO_ID) {
            places[walk->nodes[i].frame]++;
            walk->start[walk->nodes[i].parent + 1]++;
            used++;
        }
    }
    counts_to_places(places, n_frames);
    for (size_t i = 0; i < walk->n; i++) {
        if (walk->nodes[i].frame != MP_NO_ID)
            by_frame[places[walk->nodes[i].frame]++] = (uint32_t)i;
    }
    /* While records are placed, start[i + 1] is the position of i's next child. Afterwards it is the end of i's
     * children. */
    counts_to_places(walk->start + 1, walk->n + 1);
    for (size_t i = 0; i < used; i++)
        walk->order[walk->start[walk->nodes[by_frame[i]].parent + 1]++] = by_frame[i];
    walk->gathered = walk->n;
}

/* Pushes the records order[from..to), which are sorted by frame, as one group for each frame. The first frame's
 * group is on top. */
static void
push_groups(struct walk *walk, size_t from, size_t to, uint32_t parent)
{
    while (to > from) {
        size_t first = to - 1;

        while (first > from &&
               walk->nodes[walk->order[first - 1]].frame == walk->nodes[walk->order[first]].frame)
            first--;
        walk->stack = mp_grow(walk->stack, walk->depth, &walk->room, sizeof *walk->stack);
        walk->stack[walk->depth++] = (struct group){first, to, parent};
        to = first;
    }
}

static int
by_frame_and_record(const void *a, const void *b, void *data)
{
    const struct mp_live_node *nodes = data;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return nodes[x].frame != nodes[y].frame ? mp_order(nodes[x].frame, nodes[y].frame) : mp_order(x, y);
}

/* Sets [*FROM, *TO) to the range of `order` that contains the children of all members of GROUP, sorted by frame. */
static void
gather_children(struct walk *walk, const struct group *group, size_t *from, size_t *to)
{
    uint32_t lists = 0;

    *from = *to = 0;
    for (size_t i = group->from; i < group->to; i++) {
        uint32_t record = walk->order[i];

        if (walk->start[record] == walk->start[record + 1])
            continue;
        *from = walk->start[record];
        *to = walk->start[record + 1];
        lists++;
    }
    if (lists <= 1)
        return;
    *from = walk->gathered;
    for (size_t i = group->from; i < group->to; i++) {
        uint32_t record = walk->order[i], count = walk->start[record + 1] - walk->start[record];

        memcpy(walk->order + walk->gathered, walk->order + walk->start[record],
               count * sizeof *walk->order);
        walk->gathered += count;
    }
    *to = walk->gathered;
    qsort_r(walk->order + *from, *to - *from, sizeof *walk->order, by_frame_and_record,
            walk->nodes);
}

static void
walk_tree(struct mp_live_reading *reading, struct walk *walk)
{
    struct mp_profile *profile = reading->profile;
    size_t from = walk->start[walk->n], to = walk->start[walk->n + 1];

    push_groups(walk, from, to, 0);
    while (walk->depth > 0) {
        struct group group = walk->stack[--walk->depth];
        uint32_t id = profile->n_contexts++;

        profile->contexts[id].parent = group.parent;
        profile->contexts[id].frame = walk->nodes[walk->order[group.from]].frame;
        for (size_t i = group.from; i < group.to; i++)
            reading->context_of[walk->order[i]] = id;
        gather_children(walk, &group, &from, &to);
        push_groups(walk, from, to, id);
    }
}

static int
compare_ids(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return mp_order(x, y);
}

/* Contexts of several recorders may have been merged, so duplicates are removed. A context that the copy lacks was
 * created after contexts were copied, and is left out, because no copied context is below it. */
bool
mp_live_forms(struct mp_live_reading *reading, struct mp_error *error)
{
    const struct mp_live_header *header = &reading->image.header;
    struct mp_profile *profile = reading->profile;
    uint32_t n = 0;

    if (header->n_forms > MP_MAX_FORMS)
        return mp_fail(error, MP_ERR_DAMAGED, MP_HEADER_OFFSET(n_forms), "%s: more forms than fit",
                       reading->image.input->name);
    profile->forms = mp_arena_alloc(profile->arena, MP_MAX_FORMS * sizeof *profile->forms);
    for (uint32_t i = 0; i < header->n_forms; i++) {
        size_t record = mp_image_find(&reading->image, MP_EXT_CONTEXTS, header->forms[i]);

        if (record != MP_NO_RECORD && reading->context_of[record] != MP_NO_ID)
            profile->forms[n++] = reading->context_of[record];
    }
    qsort(profile->forms, n, sizeof *profile->forms, compare_ids);
    for (uint32_t i = 0; i < n; i++)
        if (i == 0 || profile->forms[i] != profile->forms[i - 1])
            profile->forms[profile->n_forms++] = profile->forms[i];
    return true;
}

void
mp_live_tree(struct mp_live_reading *reading)
{
    const size_t n = reading->n_contexts;
    struct mp_profile *profile = reading->profile;
    struct walk walk = {.n = n, .nodes = reading->contexts,
                        .start = mp_arena_alloc(reading->scratch, (n + 2) * sizeof *walk.start),
                        .order = mp_arena_alloc(reading->scratch, 2 * n * sizeof *walk.order)};

    reading->context_of = mp_arena_alloc(reading->scratch, n * sizeof *reading->context_of);
    memset(reading->context_of, 0xff, n * sizeof *reading->context_of);
    profile->contexts = mp_arena_alloc(profile->arena, (n + 1) * sizeof *profile->contexts);
    profile->contexts[0] = (struct mp_context){.parent = 0, .frame = MP_NO_ID};
    find_frames(reading);
    sort_records(reading, &walk);
    walk_tree(reading, &walk);
    mp_arena_drop(walk.start, (n + 2) * sizeof *walk.start);
    mp_arena_drop(walk.order, 2 * n * sizeof *walk.order);
    free(walk.stack);
}
