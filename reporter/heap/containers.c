#include "containers.h"

#include <stdlib.h>
#include <string.h>

#include "heap_report.h"
#include "reporter/base/search.h"

#define DEEPEST    8u
#define FIELDS     64u          /* slots of a vector head that are searched for its block */
#define MOST_KINDS 4u           /* names of elements that are counted separately */
#define SEVERAL    "several types"
#define IMMEDIATE  "immediate values"
#define FETCHED    2u           /* references of an object that are prefetched */
#define DISTANCE   16u          /* objects between the one inspected and the one prefetched */

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

/* An object that is a container, or the first object of a container, with its group. */
struct member {
    uint32_t object, group;
};

struct mp_heap_containers {
    const struct mp_heap *heap;
    struct mp_arena *arena;
    struct mp_map names;        /* names of elements; each text is stored once, so names are compared by address */
    struct mp_map made_by;
    const char **made;          /* names of containers, indexed by ids of made_by */
    uint32_t made_room;
    const char **plain;         /* names of types, indexed by type */
    const char *immediate, *several, *none, *keys[MP_KEY_KINDS];
    struct mp_map groups_by;
    struct group *groups;
    uint32_t groups_room;
    struct member *members;
    uint32_t n_members, members_room;
    /* The members in less memory, used while there are dominators: a bit per object, the number of bits set before
     * each 64 objects, and the group of each member. */
    uint64_t *is_member;
    uint32_t *before, *group_of;
    uint8_t *taken;             /* by object: 1 if it is the cdr of another cons or the block of a vector head, 2 if it
                                   belongs to a list that has been counted, otherwise 0 */
    uint32_t depth;
};

/* Returns the name of containers of TYPE whose first element is called INNER, or the type's own name if INNER is
 * NULL. Each name is built once. */
static const char *
name_of(struct mp_heap_containers *telling, uint32_t type, const char *inner)
{
    struct { const char *inner; uint64_t type; } key = {inner, type};
    uint32_t n = telling->made_by.count, id = mp_map_add(&telling->made_by, &key, sizeof key);
    const struct mp_heap *heap = telling->heap;
    const char *of = heap->types[type].shape == MP_SHAPE_CONS ? "list" : mp_heap_type_text(heap, type);

    if (id < n)
        return telling->made[id];
    telling->made = mp_arena_grow(telling->arena, telling->made, id, &telling->made_room, sizeof *telling->made);
    telling->made[id] = mp_map_text(&telling->names, inner ? mp_arena_printf(telling->arena, "%s of %s", of, inner)
                                                           : mp_heap_type_text(heap, type));
    return telling->made[id];
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
element_name(struct mp_heap_containers *telling, uint32_t object, uint32_t depth)
{
    const struct mp_heap *heap = telling->heap;
    struct mp_heap_walk walk;
    uint32_t type, block = object;

    if (object == MP_NO_ID)
        return telling->immediate;
    type = mp_heap_class(heap, object)->type;
    if (depth == 0)
        return telling->plain[type];
    switch (heap->types[type].shape) {
    case MP_SHAPE_CONS:
        return name_of(telling, type, element_name(telling, slot_of(heap, object, 0), depth - 1));
    case MP_SHAPE_VECTOR_HEAD:
        block = block_of(heap, object, MP_SHAPE_VECTOR);
        if (block == MP_NO_ID)
            return telling->plain[type];
        /* fall through */
    case MP_SHAPE_VECTOR:
        walk = mp_heap_walk(heap, block);
        return mp_heap_next(heap, &walk) ? name_of(telling, type, element_name(telling, walk.to, depth - 1))
                                         : telling->plain[type];
    default:
        return telling->plain[type];
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
sort_names(const struct mp_heap_containers *telling, const struct tally *tally, const char *sorted[static MOST_KINDS])
{
    if (tally->others > 0 || tally->n == 0) {
        sorted[0] = tally->n == 0 ? telling->none : telling->several;
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
add_container(struct mp_heap_containers *telling, uint32_t object, const char *prefix, const struct tally *keys,
              const struct tally *elements, uint64_t bytes)
{
    struct group_key key = {.prefix = prefix};
    uint32_t id;
    struct group *group;

    if (keys)
        sort_names(telling, keys, key.keys);
    sort_names(telling, elements, key.elements);
    id = mp_map_add(&telling->groups_by, &key, sizeof key);
    if (id == telling->groups_by.count - 1)
        telling->groups = mp_arena_grow(telling->arena, telling->groups, id, &telling->groups_room,
                                        sizeof *telling->groups);
    group = &telling->groups[id];
    if (!group->prefix)
        *group = (struct group){.prefix = prefix, .infix = keys ? " -> " : ""};
    group->containers++;
    group->bytes += bytes;
    if (keys)
        merge(&group->keys, keys);
    merge(&group->elements, elements);
    if (telling->n_members == telling->members_room) {
        telling->members_room = telling->members_room + telling->members_room / 2 + 1024;
        telling->members = mp_need(realloc(telling->members, telling->members_room * sizeof *telling->members));
    }
    telling->members[telling->n_members++] = (struct member){object, id};
}

/* -------------------------------------------------------------- containers */

static void
tell_list(struct mp_heap_containers *telling, uint32_t head)
{
    const struct mp_heap *heap = telling->heap;
    struct tally elements = {0};
    uint64_t bytes = 0;

    for (uint32_t at = head, next; at != MP_NO_ID && mp_heap_shape(heap, at) == MP_SHAPE_CONS && telling->taken[at] < 2;
         at = next) {
        next = slot_of(heap, at, 1);
        if (next != MP_NO_ID) {
            __builtin_prefetch(&heap->first[next]);
            __builtin_prefetch(&heap->class_of[next]);
            __builtin_prefetch(&telling->taken[next]);
        }
        telling->taken[at] = 2;
        bytes += mp_heap_size(heap, at);
        count(&elements, element_name(telling, slot_of(heap, at, 0), telling->depth - 1));
    }
    add_container(telling, head, "list", NULL, &elements, bytes);
}

static void
tell_vector(struct mp_heap_containers *telling, uint32_t object, uint32_t block)
{
    const struct mp_heap *heap = telling->heap;
    struct mp_heap_walk walk = mp_heap_walk(heap, block);
    struct tally elements = {0};
    uint64_t bytes = mp_heap_size(heap, object) + (block != object ? mp_heap_size(heap, block) : 0);

    while (mp_heap_next(heap, &walk))
        count(&elements, element_name(telling, walk.to, telling->depth - 1));
    add_container(telling, object, mp_heap_type_text(heap, mp_heap_class(heap, object)->type), NULL, &elements, bytes);
}

/* Counts the hash table OBJECT, whose entries are in BLOCK. An entry is counted if its key or its value is an
 * object, or if the snapshot contains its key. In a snapshot, all other entries look like empty ones, so they are
 * skipped. */
static void
tell_table(struct mp_heap_containers *telling, uint32_t object, uint32_t block)
{
    const struct mp_heap *heap = telling->heap;
    struct mp_heap_walk walk = mp_heap_walk(heap, block);
    struct mp_heap_key key = mp_heap_first_key(heap, block);
    bool more = mp_heap_next(heap, &walk), more_keys = mp_heap_next_key(&key);
    struct tally keys = {0}, values = {0};

    while (more || more_keys) {
        const uint64_t entry = !more || (more_keys && key.entry < walk.slot / 2) ? key.entry : walk.slot / 2;
        const char *immediate = telling->immediate;
        uint32_t pair[2] = {MP_NO_ID, MP_NO_ID};

        for (; more_keys && key.entry <= entry; more_keys = mp_heap_next_key(&key))
            immediate = telling->keys[key.kind];
        for (; more && walk.slot / 2 == entry; more = mp_heap_next(heap, &walk))
            pair[walk.slot % 2] = walk.to;
        count(&keys, pair[0] == MP_NO_ID ? immediate : element_name(telling, pair[0], telling->depth - 1));
        count(&values, element_name(telling, pair[1], telling->depth - 1));
    }
    add_container(telling, object, mp_heap_type_text(heap, mp_heap_class(heap, object)->type), &keys, &values,
                  mp_heap_size(heap, object) + mp_heap_size(heap, block));
}

static void
tell(struct mp_heap_containers *telling, uint32_t object)
{
    const struct mp_heap *heap = telling->heap;
    unsigned shape = mp_heap_shape(heap, object);
    uint32_t block;

    if (shape == MP_SHAPE_CONS && telling->taken[object] == 0)
        tell_list(telling, object);
    else if (shape == MP_SHAPE_VECTOR && heap->first[object] < heap->first[object + 1] && telling->taken[object] == 0)
        tell_vector(telling, object, object);
    else if (shape == MP_SHAPE_VECTOR_HEAD && (block = block_of(heap, object, MP_SHAPE_VECTOR)) != MP_NO_ID)
        tell_vector(telling, object, block);
    else if (shape == MP_SHAPE_HASH_TABLE && (block = block_of(heap, object, MP_SHAPE_ENTRIES)) != MP_NO_ID)
        tell_table(telling, object, block);
}

/* Prefetches what is needed about the objects that OBJECT refers to. OBJECT is inspected soon. */
static void
fetch(const struct mp_heap_containers *telling, uint32_t object)
{
    const struct mp_heap *heap = telling->heap;

    if (object >= heap->n_objects)
        return;
    for (uint32_t i = heap->first[object]; i < heap->first[object + 1] && i < heap->first[object] + FETCHED; i++) {
        __builtin_prefetch(&heap->class_of[heap->to[i]]);
        __builtin_prefetch(&telling->taken[heap->to[i]]);
    }
}

/* Marks the objects that are only parts of containers: conses that are another's cdr, and blocks of vectors with a
 * head. An object that is not a cons is not marked, even if it is the cdr at the end of a dotted list. */
static void
find_parts(struct mp_heap_containers *telling)
{
    const struct mp_heap *heap = telling->heap;

    for (uint32_t i = 0; i < heap->n_objects; i++) {
        unsigned shape = mp_heap_shape(heap, i);
        uint32_t part;

        fetch(telling, i + DISTANCE);
        part = shape == MP_SHAPE_CONS ? slot_of(heap, i, 1)
               : shape == MP_SHAPE_VECTOR_HEAD ? block_of(heap, i, MP_SHAPE_VECTOR) : MP_NO_ID;
        if (part != MP_NO_ID && part != i && (shape != MP_SHAPE_CONS || mp_heap_shape(heap, part) == MP_SHAPE_CONS))
            telling->taken[part] = 1;
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
put_groups(const struct mp_heap_containers *telling, uint32_t n, uint64_t whole, struct mp_heap_tables *tables)
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
        const struct group *group = &telling->groups[i];
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

static void
pack_members(struct mp_heap_containers *telling)
{
    const uint32_t n_words = telling->heap->n_objects / 64 + 1;
    uint32_t n = 0;

    if (telling->n_members > 0)
        qsort(telling->members, telling->n_members, sizeof *telling->members, by_object);
    telling->is_member = mp_need(calloc(n_words, sizeof *telling->is_member));
    telling->before = mp_need(malloc(n_words * sizeof *telling->before));
    telling->group_of = mp_need(malloc(((size_t)telling->n_members + 1) * sizeof *telling->group_of));
    for (uint32_t i = 0; i < telling->n_members; i++) {
        const struct member *member = &telling->members[i];

        telling->is_member[member->object / 64] |= (uint64_t)1 << member->object % 64;
        telling->group_of[i] = member->group;
    }
    for (uint32_t i = 0; i < n_words; i++) {
        telling->before[i] = n;
        n += (uint32_t)__builtin_popcountll(telling->is_member[i]);
    }
    free(telling->members);
    telling->members = NULL;
}

/* Returns the group of the container NODE, or MP_NO_ID if NODE is not a container. */
static uint32_t
group_of(const struct mp_heap_containers *telling, uint32_t node)
{
    const uint32_t word = node / 64;

    if (node >= telling->heap->n_objects || !(telling->is_member[word] >> node % 64 & 1))
        return MP_NO_ID;
    return telling->group_of[telling->before[word] + (uint32_t)__builtin_popcountll(
        telling->is_member[word] & (((uint64_t)1 << node % 64) - 1))];
}

struct mp_heap_containers *
mp_heap_containers_find(const struct mp_heap *heap, mp_heap_in_set *in_set, const void *data, uint32_t depth)
{
    static const char *const keys[MP_KEY_KINDS] = {"FIXNUM", "CHARACTER", "SYMBOL"};
    struct mp_arena *arena = mp_arena_new();
    struct mp_heap_containers *telling = mp_arena_alloc(arena, sizeof *telling);

    *telling = (struct mp_heap_containers){.heap = heap, .arena = arena, .names = {.arena = arena},
                                .groups_by = {.arena = arena}, .made_by = {.arena = arena},
                                .taken = mp_need(calloc((size_t)heap->n_objects + 1, 1)),
                                .depth = depth < 1 ? 1 : depth > DEEPEST ? DEEPEST : depth};
    telling->immediate = mp_map_text(&telling->names, IMMEDIATE);
    telling->several = mp_map_text(&telling->names, SEVERAL);
    telling->none = mp_map_text(&telling->names, "");
    for (unsigned i = 0; i < MP_KEY_KINDS; i++)
        telling->keys[i] = mp_map_text(&telling->names, keys[i]);
    telling->plain = mp_arena_alloc(arena, heap->n_types * sizeof *telling->plain);
    for (uint32_t i = 0; i < heap->n_types; i++)
        telling->plain[i] = name_of(telling, i, NULL);
    find_parts(telling);
    for (uint32_t i = 0; i < heap->n_objects; i++)
        if (!in_set || in_set(heap, i, data))
            tell(telling, i);
    for (uint32_t i = 0; i < heap->n_objects; i++)      /* circular lists, which have no head */
        if (mp_heap_shape(heap, i) == MP_SHAPE_CONS && telling->taken[i] == 1 && (!in_set || in_set(heap, i, data))) {
            telling->taken[i] = 0;
            tell(telling, i);
        }
    free(telling->taken);
    telling->taken = NULL;
    pack_members(telling);
    return telling;
}

/* Adds the retained sizes to the groups. If a container dominates another one of its group, only the outer one
 * counts, as in add_retained() of retained.c. */
static void
add_retained(struct mp_heap_containers *telling, const struct mp_dominators *dominators)
{
    uint32_t *end = mp_need(calloc((size_t)telling->groups_by.count + 1, sizeof *end));

    for (uint32_t i = 0; i < dominators->n; i++) {
        const uint32_t group = group_of(telling, dominators->at[i]);

        if (group == MP_NO_ID || i < end[group])
            continue;
        end[group] = i + dominators->span[i];
        telling->groups[group].retained += mp_retained(dominators, i);
    }
    free(end);
}

void
mp_heap_containers_put(struct mp_heap_containers *telling, const struct mp_dominators *dominators,
                       struct mp_heap_tables *tables)
{
    if (telling->groups_by.count == 0)
        return;
    add_retained(telling, dominators);
    qsort(telling->groups, telling->groups_by.count, sizeof *telling->groups, by_retained);
    put_groups(telling, telling->groups_by.count, dominators->bytes, tables);
}

void
mp_heap_containers_free(struct mp_heap_containers *telling)
{
    if (!telling)
        return;
    free(telling->is_member);
    free(telling->before);
    free(telling->group_of);
    mp_arena_free(telling->arena);
}
