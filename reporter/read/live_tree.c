/*
 * live_tree.c -- the context trees of all recorders become one, merged by path.
 *
 * The records are sorted by parent, then frame, by counting.  Then the merged tree is walked
 * depth-first: a node of it is the set of all records with the same path, and its children are
 * the children of all members, grouped by frame.  Each record is in one set, so the work is
 * linear where one recorder made the tree; nothing recurs.  A record that no walk from the root
 * meets is in a cycle, or below one.
 */
#include "live_parts.h"

#include <stdlib.h>
#include <string.h>

/* Records of one path: places [from, to) of `order`, to become a child of context `parent`. */
struct group {
    size_t from, to;
    uint32_t parent;
};

struct walk {
    size_t n;                   /* records; the index n stands for the root */
    uint32_t *frame;            /* of each record; MP_NO_ID: not in use */
    uint32_t *parent;           /* index */
    uint32_t *start;            /* n + 2: children of i are order[start[i]..start[i + 1]) */
    uint32_t *order;            /* n sorted records, then n places for children gathered */
    size_t gathered;            /* end of the second part */
    struct group *stack;
    size_t depth, room;
};

/* While a process runs, contexts may be made, and their parents, between the copies of those and of
 * these: cells were copied before, and have none of them.  Such a context is left out, with all below. */
static bool
find_parents(struct mp_live_reading *reading, struct walk *walk, struct mp_error *error)
{
    const struct mp_live_context *records =
        (const void *)reading->image.tables[MP_EXT_CONTEXTS].records;

    for (size_t i = 0; i < walk->n; i++) {
        size_t parent = walk->n;
        uint32_t id = records[i].frame;

        walk->frame[i] = MP_NO_ID;
        if (id == 0)
            continue;
        if (records[i].parent != 0)
            parent = mp_image_find(&reading->image, MP_EXT_CONTEXTS, records[i].parent);
        if (parent == MP_NO_RECORD || (parent < walk->n && records[parent].frame == 0)) {
            if (reading->image.alive)
                continue;
            return mp_live_damaged(reading, MP_EXT_CONTEXTS, i,
                                   offsetof(struct mp_live_context, parent),
                                   "a context's parent is not there", error);
        }
        walk->parent[i] = (uint32_t)parent;
        walk->frame[i] = id < MP_FRAME_FIRST
            ? reading->mark_of[id]
            : reading->frame_of[mp_image_find(&reading->image, MP_EXT_FRAMES, id)];
    }
    return true;
}

/* Counts become places: counts[i] is afterwards where the first thing of key i goes. */
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

/* Sort the records by frame into the second half of `order`, from there by parent into the first;
 * the second sort keeps the order of the first among equals. */
static bool
sort_records(struct mp_live_reading *reading, struct walk *walk, struct mp_error *error)
{
    size_t n_frames = reading->profile->n_frames, used = 0;
    uint32_t *places = mp_live_array(reading, n_frames, sizeof *places, error);
    uint32_t *by_frame = walk->order + walk->n;

    if (!places)
        return false;
    for (size_t i = 0; i < walk->n; i++) {
        if (walk->frame[i] != MP_NO_ID) {
            places[walk->frame[i]]++;
            walk->start[walk->parent[i] + 1]++;
            used++;
        }
    }
    counts_to_places(places, n_frames);
    for (size_t i = 0; i < walk->n; i++) {
        if (walk->frame[i] != MP_NO_ID)
            by_frame[places[walk->frame[i]]++] = (uint32_t)i;
    }
    /* start[i + 1] is the place of i's next child while they are placed, and their end after. */
    counts_to_places(walk->start + 1, walk->n + 1);
    for (size_t i = 0; i < used; i++)
        walk->order[walk->start[walk->parent[by_frame[i]] + 1]++] = by_frame[i];
    walk->gathered = walk->n;
    free(places);
    return true;
}

/* Push the records order[from..to), which are sorted by frame, as one group for each frame; the
 * first frame ends on top. */
static bool
push_groups(struct mp_live_reading *reading, struct walk *walk, size_t from, size_t to,
            uint32_t parent, struct mp_error *error)
{
    while (to > from) {
        size_t first = to - 1;

        while (first > from &&
               walk->frame[walk->order[first - 1]] == walk->frame[walk->order[first]])
            first--;
        if (walk->depth == walk->room) {
            size_t room = walk->room * 2 + 64;
            struct group *stack = realloc(walk->stack, room * sizeof *stack);

            if (!stack)
                return mp_fail(error, MP_ERR_MEMORY, MP_NO_OFFSET, "%s",
                               reading->image.input->name);
            walk->stack = stack;
            walk->room = room;
        }
        walk->stack[walk->depth++] = (struct group){first, to, parent};
        to = first;
    }
    return true;
}

static int
by_frame_and_record(const void *a, const void *b, void *data)
{
    const uint32_t *frame = data, x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    if (frame[x] != frame[y])
        return frame[x] < frame[y] ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* The children of all members of GROUP, sorted by frame: [*FROM, *TO) of `order`. */
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
            walk->frame);
}

static bool
walk_tree(struct mp_live_reading *reading, struct walk *walk, struct mp_error *error)
{
    struct mp_profile *profile = reading->profile;
    size_t from = walk->start[walk->n], to = walk->start[walk->n + 1];

    if (!push_groups(reading, walk, from, to, 0, error))
        return false;
    while (walk->depth > 0) {
        struct group group = walk->stack[--walk->depth];
        uint32_t id = profile->n_contexts++;

        profile->contexts[id].parent = group.parent;
        profile->contexts[id].frame = walk->frame[walk->order[group.from]];
        for (size_t i = group.from; i < group.to; i++)
            reading->context_of[walk->order[i]] = id;
        gather_children(walk, &group, &from, &to);
        if (!push_groups(reading, walk, from, to, id, error))
            return false;
    }
    for (size_t i = 0; i < walk->n && !reading->image.alive; i++) {
        if (walk->frame[i] != MP_NO_ID && reading->context_of[i] == MP_NO_ID)
            return mp_live_damaged(reading, MP_EXT_CONTEXTS, i,
                                   offsetof(struct mp_live_context, parent),
                                   "a context's chain never reaches the root", error);
    }
    return true;
}

static int
compare_ids(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

/* Trees of several recorders may have the same one; one that is not there has nothing below it. */
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

bool
mp_live_tree(struct mp_live_reading *reading, struct mp_error *error)
{
    struct walk walk = {.n = reading->image.tables[MP_EXT_CONTEXTS].count};
    struct mp_profile *profile = reading->profile;
    bool done = false;

    walk.frame = mp_live_array(reading, walk.n, sizeof *walk.frame, error);
    walk.parent = mp_live_array(reading, walk.n, sizeof *walk.parent, error);
    walk.start = mp_live_array(reading, walk.n + 2, sizeof *walk.start, error);
    walk.order = mp_live_array(reading, 2 * walk.n, sizeof *walk.order, error);
    reading->context_of = mp_live_array(reading, walk.n, sizeof *reading->context_of, error);
    if (walk.frame && walk.parent && walk.start && walk.order && reading->context_of) {
        memset(reading->context_of, 0xff, walk.n * sizeof *reading->context_of);
        profile->contexts =
            mp_arena_alloc(profile->arena, (walk.n + 1) * sizeof *profile->contexts);
        profile->contexts[0] = (struct mp_context){.parent = 0, .frame = MP_NO_ID};
        done = find_parents(reading, &walk, error) && sort_records(reading, &walk, error) &&
               walk_tree(reading, &walk, error);
    }
    free(walk.frame);
    free(walk.parent);
    free(walk.start);
    free(walk.order);
    free(walk.stack);
    return done;
}
