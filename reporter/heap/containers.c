/* SPDX-License-Identifier: MIT */
#include "containers.h"

#include <stdlib.h>
#include <string.h>

#include "heap_report.h"
#include "reporter/base/search.h"

#define DEEPEST    8u           /* maximum levels of names of elements */
#define FIELDS     64u          /* slots of an object that are searched for the block with its elements */
#define MOST_KINDS 4u           /* maximum number of names of elements that are counted separately */
#define SEVERAL    "several types"
#define IMMEDIATE  "immediate values"
#define FETCHED    2u           /* references of an object whose targets are prefetched */
#define DISTANCE   16u          /* objects between the one that is inspected and the one that is prefetched */

/* The names of elements with their counts. `others` counts elements whose name did not fit. */
struct tally {
    const char *names[MOST_KINDS];
    uint64_t counts[MOST_KINDS];
    unsigned n;
    uint64_t all, others;
};

/* Containers whose elements have the same names. */
struct group {
    const char *prefix, *infix; /* "list" and "", or "HASH-TABLE" and " -> " */
    struct tally keys, elements;        /* keys: of hash tables only */
    uint64_t containers, bytes, retained;
};

/* A container, identified by its first object, and its group. */
struct member {
    uint32_t object, group;
};

struct mp_heap_containers {
    const struct mp_heap *heap;
    struct mp_arena *arena;
    struct mp_map names;        /* names of elements; each text is stored once, so names are compared by address */
    struct mp_map made_by;      /* keys are the type of a container and the name of its first element */
    const char **made;          /* names of containers, indexed by ids of made_by */
    uint32_t made_room;
    const char **plain;         /* names of types, indexed by type */
    const char *immediate, *several, *none, *keys[MP_KEY_KINDS];        /* other names */
    struct mp_map groups_by;    /* keys are struct group_key */
    struct group *groups;       /* indexed by ids of groups_by */
    uint32_t groups_room;
    struct member *members;
    uint32_t n_members, members_room;
    /* The members in less memory, used while there are dominators: a bit for each object, the number of bits that are
     * set before each 64 objects, and the group of each member. */
    uint64_t *is_member;
    uint32_t *before, *group_of;
    uint8_t *taken;             /* by object: 1 if it is the cdr of another cons or the block of a vector head, 2 if it
                                   belongs to a list that has been counted, otherwise 0 */
    uint32_t depth;
};

/* Returns the name of containers of TYPE whose first element is called INNER, or the type's own name if INNER is
 * NULL. Each name is built once. */
static const char *
name_of(struct mp_heap_containers *finding, uint32_t type, const char *inner)
{
    struct { const char *inner; uint64_t type; } key = {inner, type};
    uint32_t n = finding->made_by.count, id = mp_map_add(&finding->made_by, &key, sizeof key);
    const struct mp_heap *heap = finding->heap;
    const char *of = heap->types[type].shape == MP_SHAPE_CONS ? "list" : mp_heap_type_text(heap, type);

    if (id < n)
        return finding->made[id];
    finding->made = mp_arena_grow(finding->arena, finding->made, id, &finding->made_room, sizeof *finding->made);
    finding->made[id] = mp_map_text(&finding->names, inner ? mp_arena_printf(finding->arena, "%s of %s", of, inner)
                                                           : mp_heap_type_text(heap, type));
    return finding->made[id];
}

static void
count(struct tally *tally, const char *name)
{
    unsigned i = 0;

    tally->all++;
    while (i < tally->n && tally->names[i] != name)
        i++;
    if (i == MOST_KINDS) {
        tally->others++;
        return;
    }
    tally->n += i == tally->n;
    tally->names[i] = name;
    tally->counts[i]++;
}

/* --------------------------------------------------------------- elements */

/* Returns the object that slot SLOT of OBJECT refers to, weakly or not, or MP_NO_ID if the slot holds no object. */
static uint32_t
slot_of(const struct mp_heap *heap, uint32_t object, uint64_t slot)
{
    struct mp_heap_walk walk = mp_heap_walk(heap, object);

    while (mp_heap_next(heap, &walk) && walk.slot <= slot)         /* slots ascend */
        if (walk.slot == slot)
            return walk.to;
    return MP_NO_ID;
}

/* Returns the first block of SHAPE that OBJECT refers to (the block with its elements), or MP_NO_ID. */
static uint32_t
block_of(const struct mp_heap *heap, uint32_t object, unsigned shape)
{
    struct mp_heap_walk walk = mp_heap_walk(heap, object);

    while (mp_heap_next(heap, &walk) && walk.slot < FIELDS)
        if (mp_heap_shape(heap, walk.to) == shape)
            return walk.to;
    return MP_NO_ID;
}

/* Returns the name of an element: its type or, for a container, its type and the name of its first element, down to
 * DEPTH levels. */
static const char *
element_name(struct mp_heap_containers *finding, uint32_t object, uint32_t depth)
{
    const struct mp_heap *heap = finding->heap;
    struct mp_heap_walk walk;
    uint32_t type, block = object;

    if (object == MP_NO_ID)
        return finding->immediate;
    type = mp_heap_class(heap, object)->type;
    if (depth == 0)
        return finding->plain[type];
    switch (heap->types[type].shape) {
    case MP_SHAPE_CONS:
        return name_of(finding, type, element_name(finding, slot_of(heap, object, 0), depth - 1));
    case MP_SHAPE_VECTOR_HEAD:
        block = block_of(heap, object, MP_SHAPE_VECTOR);
        if (block == MP_NO_ID)
            return finding->plain[type];
        /* fall through */
    case MP_SHAPE_VECTOR:
        walk = mp_heap_walk(heap, block);
        return mp_heap_next(heap, &walk) ? name_of(finding, type, element_name(finding, walk.to, depth - 1))
                                         : finding->plain[type];
    default:
        return finding->plain[type];
    }
}

/* --------------------------------------------------------------- grouping */

/* Identifies a group. Names are compared by address. */
struct group_key {
    const char *prefix, *keys[MOST_KINDS], *elements[MOST_KINDS];
};

/* Writes the names of TALLY to SORTED in the order of their addresses, so that equal sets of names give equal keys.
 * Writes one name instead if TALLY is empty or has more names than fit. */
static void
sort_names(const struct mp_heap_containers *finding, const struct tally *tally, const char *sorted[static MOST_KINDS])
{
    if (tally->others > 0 || tally->n == 0) {
        sorted[0] = tally->n == 0 ? finding->none : finding->several;
        return;
    }
    for (unsigned i = 0; i < tally->n; i++) {
        unsigned at = i;

        for (; at > 0 && (uintptr_t)sorted[at - 1] > (uintptr_t)tally->names[i]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = tally->names[i];
    }
}

static void
merge(struct tally *to, const struct tally *from)
{
    to->all += from->all;
    to->others += from->others;
    for (unsigned i = 0; i < from->n; i++) {
        unsigned k = 0;

        while (k < to->n && to->names[k] != from->names[i])
            k++;
        if (k == MOST_KINDS) {
            to->others += from->counts[i];
            continue;
        }
        to->n += k == to->n;
        to->names[k] = from->names[i];
        to->counts[k] += from->counts[i];
    }
}

/* Counts the container OBJECT (for a list, its first cons) in its group. */
static void
add_container(struct mp_heap_containers *finding, uint32_t object, const char *prefix, const struct tally *keys,
              const struct tally *elements, uint64_t bytes)
{
    struct group_key key = {.prefix = prefix};
    uint32_t id;
    struct group *group;

    if (keys)
        sort_names(finding, keys, key.keys);
    sort_names(finding, elements, key.elements);
    id = mp_map_add(&finding->groups_by, &key, sizeof key);
    if (id == finding->groups_by.count - 1)
        finding->groups = mp_arena_grow(finding->arena, finding->groups, id, &finding->groups_room,
                                        sizeof *finding->groups);
    group = &finding->groups[id];
    if (!group->prefix)
        *group = (struct group){.prefix = prefix, .infix = keys ? " -> " : ""};
    group->containers++;
    group->bytes += bytes;
    if (keys)
        merge(&group->keys, keys);
    merge(&group->elements, elements);
    finding->members = mp_grow(finding->members, finding->n_members, &finding->members_room,
                               sizeof *finding->members);
    finding->members[finding->n_members++] = (struct member){object, id};
}

/* -------------------------------------------------------------- containers */

static void
add_list(struct mp_heap_containers *finding, uint32_t head)
{
    const struct mp_heap *heap = finding->heap;
    struct tally elements = {0};
    uint64_t bytes = 0;

    for (uint32_t at = head, next; at != MP_NO_ID && mp_heap_shape(heap, at) == MP_SHAPE_CONS && finding->taken[at] < 2;
         at = next) {
        next = slot_of(heap, at, 1);
        if (next != MP_NO_ID) {
            __builtin_prefetch(&heap->first[next]);
            __builtin_prefetch(&heap->class_of[next]);
            __builtin_prefetch(&finding->taken[next]);
        }
        finding->taken[at] = 2;
        bytes += mp_heap_size(heap, at);
        count(&elements, element_name(finding, slot_of(heap, at, 0), finding->depth - 1));
    }
    add_container(finding, head, "list", NULL, &elements, bytes);
}

static void
add_vector(struct mp_heap_containers *finding, uint32_t object, uint32_t block)
{
    const struct mp_heap *heap = finding->heap;
    struct mp_heap_walk walk = mp_heap_walk(heap, block);
    struct tally elements = {0};
    uint64_t bytes = mp_heap_size(heap, object) + (block != object ? mp_heap_size(heap, block) : 0);

    while (mp_heap_next(heap, &walk))
        count(&elements, element_name(finding, walk.to, finding->depth - 1));
    add_container(finding, object, mp_heap_type_text(heap, mp_heap_class(heap, object)->type), NULL, &elements, bytes);
}

/* Counts the hash table OBJECT, whose entries are in BLOCK. An entry is counted if its key or its value is an
 * object, or if the snapshot contains its key. In a snapshot, all other entries look like empty ones, so they are
 * skipped. */
static void
add_table(struct mp_heap_containers *finding, uint32_t object, uint32_t block)
{
    const struct mp_heap *heap = finding->heap;
    struct mp_heap_walk walk = mp_heap_walk(heap, block);
    struct mp_heap_key key = mp_heap_first_key(heap, block);
    bool more = mp_heap_next(heap, &walk), more_keys = mp_heap_next_key(&key);
    struct tally keys = {0}, values = {0};

    while (more || more_keys) {
        const uint64_t entry = !more || (more_keys && key.entry < walk.slot / 2) ? key.entry : walk.slot / 2;
        const char *immediate = finding->immediate;
        uint32_t pair[2] = {MP_NO_ID, MP_NO_ID};

        for (; more_keys && key.entry <= entry; more_keys = mp_heap_next_key(&key))
            immediate = finding->keys[key.kind];
        for (; more && walk.slot / 2 == entry; more = mp_heap_next(heap, &walk))
            pair[walk.slot % 2] = walk.to;
        count(&keys, pair[0] == MP_NO_ID ? immediate : element_name(finding, pair[0], finding->depth - 1));
        count(&values, element_name(finding, pair[1], finding->depth - 1));
    }
    add_container(finding, object, mp_heap_type_text(heap, mp_heap_class(heap, object)->type), &keys, &values,
                  mp_heap_size(heap, object) + mp_heap_size(heap, block));
}

/* Counts the container that begins with OBJECT, if one does. */
static void
inspect(struct mp_heap_containers *finding, uint32_t object)
{
    const struct mp_heap *heap = finding->heap;
    unsigned shape = mp_heap_shape(heap, object);
    uint32_t block;

    if (shape == MP_SHAPE_CONS && finding->taken[object] == 0)
        add_list(finding, object);
    else if (shape == MP_SHAPE_VECTOR && heap->first[object] < heap->first[object + 1] && finding->taken[object] == 0)
        add_vector(finding, object, object);
    else if (shape == MP_SHAPE_VECTOR_HEAD && (block = block_of(heap, object, MP_SHAPE_VECTOR)) != MP_NO_ID)
        add_vector(finding, object, block);
    else if (shape == MP_SHAPE_HASH_TABLE && (block = block_of(heap, object, MP_SHAPE_ENTRIES)) != MP_NO_ID)
        add_table(finding, object, block);
}

/* Prefetches the class and the entry in `taken` of the first objects that OBJECT refers to. */
static void
fetch(const struct mp_heap_containers *finding, uint32_t object)
{
    const struct mp_heap *heap = finding->heap;

    if (object >= heap->n_objects)
        return;
    for (uint32_t i = heap->first[object]; i < heap->first[object + 1] && i < heap->first[object] + FETCHED; i++) {
        __builtin_prefetch(&heap->class_of[heap->to[i]]);
        __builtin_prefetch(&finding->taken[heap->to[i]]);
    }
}

/* Marks the objects that are only parts of containers: conses that are another's cdr, and blocks of vectors with a
 * head. An object that is not a cons is not marked, even if it is the cdr at the end of a dotted list. */
static void
find_parts(struct mp_heap_containers *finding)
{
    const struct mp_heap *heap = finding->heap;

    for (uint32_t i = 0; i < heap->n_objects; i++) {
        unsigned shape = mp_heap_shape(heap, i);
        uint32_t part;

        fetch(finding, i + DISTANCE);
        part = shape == MP_SHAPE_CONS ? slot_of(heap, i, 1)
               : shape == MP_SHAPE_VECTOR_HEAD ? block_of(heap, i, MP_SHAPE_VECTOR) : MP_NO_ID;
        if (part != MP_NO_ID && part != i && (shape != MP_SHAPE_CONS || mp_heap_shape(heap, part) == MP_SHAPE_CONS))
            finding->taken[part] = 1;
    }
}

/* ------------------------------------------------------------------ table */

/* Returns the shares of the names in TALLY, as "FIXNUM 70 %, STRING 30 %", or a single name alone. */
static const char *
tally_text(struct mp_arena *arena, const struct tally *tally)
{
    const char *text = "";
    bool mixed = tally->n + (tally->others > 0) > 1, shown[MOST_KINDS] = {0};

    if (tally->all == 0)
        return "nothing";
    for (unsigned k = 0; k < tally->n; k++) {
        unsigned most = MOST_KINDS;

        for (unsigned i = 0; i < tally->n; i++)
            if (!shown[i] && (most == MOST_KINDS || tally->counts[i] > tally->counts[most]))
                most = i;
        shown[most] = true;
        text = mixed ? mp_arena_printf(arena, "%s%s%s %u %%", text, *text ? ", " : "", tally->names[most],
                                       mp_number_share(tally->counts[most], tally->all))
                     : tally->names[most];
    }
    return tally->others > 0 ? mp_arena_printf(arena, "%s, others %u %%", text,
                                               mp_number_share(tally->others, tally->all)) : text;
}

static int
by_retained(const void *a, const void *b)
{
    const struct group *x = a, *y = b;

    return x->retained != y->retained ? mp_order(y->retained, x->retained)
           : x->bytes != y->bytes ? mp_order(y->bytes, x->bytes)
           : x->containers != y->containers ? mp_order(y->containers, x->containers) : strcmp(x->prefix, y->prefix);
}

static void
put_groups(const struct mp_heap_containers *finding, uint32_t n, uint64_t whole, struct mp_heap_tables *tables)
{
    enum { CONTAINERS, ELEMENTS, MEAN, BYTES, RETAINED, SHARE, CONTAINER };
    static const struct mp_table_column columns[] = {
        [CONTAINERS] = {"containers", "Number", MP_UNIT_COUNT},
        [ELEMENTS] = {"elements", "Elements", MP_UNIT_COUNT},
        [MEAN] = {"mean_tenths", "Mean", MP_UNIT_TENTHS},
        [BYTES] = {"bytes", "Bytes", MP_UNIT_BYTES},
        [RETAINED] = {"retained", "Retained", MP_UNIT_BYTES},
        [SHARE] = MP_HEAP_SHARE,
        [CONTAINER] = {"container", "Container", MP_UNIT_TEXT},
    };
    struct mp_table *table = mp_heap_table_add(tables, "containers", "Containers", MP_HEAP_COLUMNS(columns));

    for (uint32_t i = 0; i < n; i++) {
        const struct group *group = &finding->groups[i];
        struct mp_value *row = mp_heap_table_row(tables, table);

        if (!row)
            continue;
        row[CONTAINERS] = mp_value_number(group->containers);
        row[ELEMENTS] = mp_value_number(group->elements.all);
        row[MEAN] = mp_value_number(group->elements.all * 10 / group->containers);
        row[BYTES] = mp_value_number(group->bytes);
        mp_heap_put_share(&row[RETAINED], group->retained, whole);
        row[CONTAINER] = mp_value_text(mp_arena_printf(
            tables->arena, "%s%s%s%s%s", group->prefix, *group->infix ? " " : " of ",
            *group->infix ? tally_text(tables->arena, &group->keys) : "", group->infix,
            tally_text(tables->arena, &group->elements)));
    }
}

static int
by_object(const void *a, const void *b)
{
    const struct member *x = a, *y = b;

    return mp_order(x->object, y->object);
}

/* Replaces the list of members by the arrays that need less memory. */
static void
pack_members(struct mp_heap_containers *finding)
{
    const uint32_t n_words = finding->heap->n_objects / 64 + 1;
    uint32_t n = 0;

    if (finding->n_members > 0)
        qsort(finding->members, finding->n_members, sizeof *finding->members, by_object);
    finding->is_member = mp_need(calloc(n_words, sizeof *finding->is_member));
    finding->before = mp_need(malloc(n_words * sizeof *finding->before));
    finding->group_of = mp_need(malloc(((size_t)finding->n_members + 1) * sizeof *finding->group_of));
    for (uint32_t i = 0; i < finding->n_members; i++) {
        const struct member *member = &finding->members[i];

        finding->is_member[member->object / 64] |= (uint64_t)1 << member->object % 64;
        finding->group_of[i] = member->group;
    }
    for (uint32_t i = 0; i < n_words; i++) {
        finding->before[i] = n;
        n += (uint32_t)__builtin_popcountll(finding->is_member[i]);
    }
    free(finding->members);
    finding->members = NULL;
}

/* Returns the group of the container NODE, or MP_NO_ID if NODE is not a container. */
static uint32_t
group_of(const struct mp_heap_containers *finding, uint32_t node)
{
    const uint32_t word = node / 64;

    if (node >= finding->heap->n_objects || !(finding->is_member[word] >> node % 64 & 1))
        return MP_NO_ID;
    return finding->group_of[finding->before[word] + (uint32_t)__builtin_popcountll(
        finding->is_member[word] & (((uint64_t)1 << node % 64) - 1))];
}

struct mp_heap_containers *
mp_heap_containers_find(const struct mp_heap *heap, mp_heap_in_set *in_set, const void *data, uint32_t depth)
{
    static const char *const keys[MP_KEY_KINDS] = {"FIXNUM", "CHARACTER", "SYMBOL"};
    struct mp_arena *arena = mp_arena_new();
    struct mp_heap_containers *finding = mp_arena_alloc(arena, sizeof *finding);

    *finding = (struct mp_heap_containers){.heap = heap, .arena = arena, .names = {.arena = arena},
                                .groups_by = {.arena = arena}, .made_by = {.arena = arena},
                                .taken = mp_need(calloc((size_t)heap->n_objects + 1, 1)),
                                .depth = depth < 1 ? 1 : depth > DEEPEST ? DEEPEST : depth};
    finding->immediate = mp_map_text(&finding->names, IMMEDIATE);
    finding->several = mp_map_text(&finding->names, SEVERAL);
    finding->none = mp_map_text(&finding->names, "");
    for (unsigned i = 0; i < MP_KEY_KINDS; i++)
        finding->keys[i] = mp_map_text(&finding->names, keys[i]);
    finding->plain = mp_arena_alloc(arena, heap->n_types * sizeof *finding->plain);
    for (uint32_t i = 0; i < heap->n_types; i++)
        finding->plain[i] = name_of(finding, i, NULL);
    find_parts(finding);
    for (uint32_t i = 0; i < heap->n_objects; i++)
        if (!in_set || in_set(heap, i, data))
            inspect(finding, i);
    for (uint32_t i = 0; i < heap->n_objects; i++)      /* circular lists, in which each cons is another's cdr */
        if (mp_heap_shape(heap, i) == MP_SHAPE_CONS && finding->taken[i] == 1 && (!in_set || in_set(heap, i, data))) {
            finding->taken[i] = 0;
            inspect(finding, i);
        }
    free(finding->taken);
    finding->taken = NULL;
    pack_members(finding);
    return finding;
}

/* Adds the retained sizes to the groups. If a container dominates another one of its group, only the outer one
 * counts, as in add_retained() of retained.c. */
static void
add_retained(struct mp_heap_containers *finding, const struct mp_dominators *dominators)
{
    uint32_t *end = mp_need(calloc((size_t)finding->groups_by.count + 1, sizeof *end));

    for (uint32_t i = 0; i < dominators->n; i++) {
        const uint32_t group = group_of(finding, dominators->at[i]);

        if (group == MP_NO_ID || i < end[group])
            continue;
        end[group] = i + dominators->span[i];
        finding->groups[group].retained += mp_retained(dominators, i);
    }
    free(end);
}

void
mp_heap_containers_put(struct mp_heap_containers *finding, const struct mp_dominators *dominators,
                       struct mp_heap_tables *tables)
{
    if (finding->groups_by.count == 0)
        return;
    add_retained(finding, dominators);
    qsort(finding->groups, finding->groups_by.count, sizeof *finding->groups, by_retained);
    put_groups(finding, finding->groups_by.count, dominators->bytes, tables);
}

void
mp_heap_containers_free(struct mp_heap_containers *finding)
{
    if (!finding)
        return;
    free(finding->is_member);
    free(finding->before);
    free(finding->group_of);
    mp_arena_free(finding->arena);
}
