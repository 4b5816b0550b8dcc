/* SPDX-License-Identifier: MIT */
/*
 * heap_load.c -- loads a snapshot: reads its records, objects and references, in passes that read the file again.
 */
#include "heap_parts.h"
#include "heap_stream.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/base/progress.h"
#include "reporter/base/text.h"

#define MP_HEAP_MOST_ROOTS ((uint32_t)1 << 28)
#define MP_HEAP_RECENT 4096u    /* entries of the cache of recently used classes */

enum mp_heap_pass {
    MP_PASS_OBJECTS,
    MP_PASS_REFERENCES,         /* stores references in the heap */
    MP_PASS_EACH                /* passes references to a callback */
};

struct mp_heap_loading {
    struct mp_heap *heap;
    enum mp_heap_pass pass;
    struct mp_arena *arena;     /* owns memory needed only while loading */
    const char **texts;             uint32_t n_texts, texts_room;
    uint64_t n_slots;           /* total over all types */
    uint32_t types_room, sites_room, roots_room, classes_room, beginnings_room, segments_room, keys_room, free_room;
    struct mp_map class_map;
    uint32_t *recent;           /* indexed by a hash: class number plus 1, or 0 */
    uint64_t objects_room, references_room, wide_room;
    uint64_t end;               /* address behind the last object */
    uint32_t n_objects;         /* objects read so far in this pass */
    uint64_t n_references;      /* references read so far in this pass */
    uint64_t address;           /* address of the last object */
    uint64_t slot;              /* lowest slot that its next reference may be in */
    bool ended;
    struct mp_heap_reference *waiting;  uint32_t n_waiting;     /* references whose targets are looked up together
                                                                   when the batch is full */
    uint32_t n_first;           /* objects whose entry in heap->first is set, in MP_PASS_REFERENCES */
    uint64_t kept_slot;         /* slot after that of the last stored reference, in MP_PASS_REFERENCES */
    mp_heap_take *take;         /* callback of MP_PASS_EACH */
    void *data;
};

/* ---------------------------------------------------------------- memory */

/* Arrays of objects and references grow by realloc(). The kernel grows large arrays by moving pages, so they are never
 * copied. */

/* Returns LIST with a capacity of ROOM entries of SIZE bytes. */
static void *
resized(void *list, uint64_t room, size_t size)
{
    return mp_need(realloc(list, (size_t)room * size));
}

/* Returns the next capacity of an array whose capacity is ROOM. */
static uint64_t
larger(uint64_t room)
{
    return room + room / 2 + 1024;
}

/* ------------------------------------------------------- storing references */

static void
keep_slot(struct mp_heap_loading *load, uint64_t slot, unsigned bits)
{
    struct mp_heap *heap = load->heap;
    uint64_t distance = slot - load->kept_slot;

    if (distance >= MP_SLOT_WIDE) {
        if (heap->n_wide == load->wide_room) {
            load->wide_room = larger(load->wide_room);
            heap->wide = resized(heap->wide, load->wide_room, sizeof *heap->wide);
        }
        heap->wide[heap->n_wide++] = (struct mp_heap_wide){heap->n_references, (uint32_t)distance};
        distance = MP_SLOT_WIDE;
    }
    heap->slots[heap->n_references] = (uint8_t)(distance | bits);
    load->kept_slot = slot + 1;
}

/* Sets the index of the first reference for each object before END for which it is not set yet. */
static void
begin_objects(struct mp_heap_loading *load, uint32_t end)
{
    while (load->n_first < end) {
        load->heap->first[load->n_first++] = load->heap->n_references;
        load->kept_slot = 0;
    }
}

/* Returns whether REFERENCE is not followed. */
static inline bool
is_ignored(const struct mp_heap *heap, const struct mp_heap_reference *reference)
{
    return reference->weak || (reference->to != MP_NO_ID && mp_heap_is_left_out(heap, reference->from, reference->to));
}

static void
keep_reference(struct mp_heap_loading *load, const struct mp_heap_reference *reference)
{
    struct mp_heap *heap = load->heap;

    begin_objects(load, reference->from + 1);
    if (reference->to == MP_NO_ID) {
        heap->nowhere++;
        return;
    }
    if (heap->n_references == load->references_room) {
        load->references_room = larger(load->references_room);
        heap->to = resized(heap->to, load->references_room, sizeof *heap->to);
        heap->slots = resized(heap->slots, load->references_room, sizeof *heap->slots);
    }
    keep_slot(load, reference->slot, (is_ignored(heap, reference) ? MP_REFERENCE_WEAK : 0) |
                                     (reference->inside ? MP_REFERENCE_INSIDE : 0));
    heap->to[heap->n_references++] = reference->to;
}

/* Appends the edges of tops to the references of objects. */
static void
keep_top_edges(struct mp_heap *heap)
{
    uint64_t n = (uint64_t)heap->n_references + heap->n_top_edges;
    uint32_t at = 0;

    heap->to = resized(heap->to, n + 1, sizeof *heap->to);
    heap->slots = resized(heap->slots, n + 1, sizeof *heap->slots);
    for (uint32_t node = heap->n_objects; node < heap->n_nodes; node++) {
        heap->first[node] = heap->n_references;
        for (; at < heap->n_top_edges && heap->top_edges[at].from == node; at++) {
            heap->to[heap->n_references] = heap->top_edges[at].to;
            heap->slots[heap->n_references++] = heap->top_edges[at].slot;
        }
    }
    heap->first[heap->n_nodes] = heap->n_references;
}

/* ---------------------------------------------------- batches of references */

/* Passes the references that were collected in a batch to the callback, or stores them if there is none. */
static void
give(struct mp_heap_loading *load)
{
    for (uint32_t i = 0; i < load->n_waiting; i++)
        if (load->pass == MP_PASS_EACH)
            load->waiting[i].weak = is_ignored(load->heap, &load->waiting[i]);
        else
            keep_reference(load, &load->waiting[i]);
    if (load->pass == MP_PASS_EACH)
        load->take(load->data, load->waiting, load->n_waiting);
    load->n_waiting = 0;
}

static void
find_waiting(struct mp_heap_loading *load)
{
    mp_heap_find_all(load->heap, load->waiting, load->n_waiting);
    give(load);
}

static void
give_top_edges(struct mp_heap_loading *load)
{
    const struct mp_heap *heap = load->heap;

    for (uint32_t i = 0; i < heap->n_top_edges; i++) {
        if (load->n_waiting == MP_HEAP_BATCH)
            give(load);
        load->waiting[load->n_waiting++] = (struct mp_heap_reference){
            .from = heap->top_edges[i].from, .to = heap->top_edges[i].to,
            .inside = heap->top_edges[i].slot & MP_REFERENCE_INSIDE};
    }
    give(load);
}

/* ------------------------------------------------------- reading references */

static void
references_begin(struct mp_heap_loading *load)
{
    struct mp_heap *heap = load->heap;

    load->waiting = mp_arena_alloc(load->arena, MP_HEAP_BATCH * sizeof *load->waiting);
    if (load->pass == MP_PASS_EACH)
        return;
    heap->first = mp_need(malloc(((size_t)heap->n_nodes + 1) * sizeof *heap->first));
    load->references_room = (uint64_t)heap->n_references + 1024;        /* the number read the last time, if any */
    heap->to = resized(NULL, load->references_room, sizeof *heap->to);
    heap->slots = resized(NULL, load->references_room, sizeof *heap->slots);
    heap->n_references = heap->n_wide = 0;
    heap->nowhere = 0;
}

static void
references_end(struct mp_heap_loading *load)
{
    find_waiting(load);
    if (load->pass == MP_PASS_EACH) {
        give_top_edges(load);
    } else {
        begin_objects(load, load->heap->n_objects);
        keep_top_edges(load->heap);
    }
}

static void
take_references(struct mp_heap_loading *load, struct mp_cursor *cursor)
{
    uint32_t n = mp_cursor_count(cursor, 2);

    if (load->n_references + n >= UINT32_MAX - 4ull * MP_HEAP_MOST_ROOTS)
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "too many references");
    for (uint32_t i = 0; i < n && !cursor->problem; i++) {
        uint64_t head = mp_cursor_varint(cursor);
        uint64_t target = load->address + (uint64_t)mp_cursor_signed(cursor);
        uint64_t slot = load->slot + (head >> 1);

        if (slot > UINT32_MAX || slot < load->slot)
            mp_cursor_fail(cursor, MP_ERR_DAMAGED, "a slot is out of range");
        if (cursor->problem)
            return;
        load->slot = slot + 1;
        load->n_references++;
        if (load->pass == MP_PASS_OBJECTS)
            continue;
        if (load->n_waiting == MP_HEAP_BATCH)
            find_waiting(load);
        load->waiting[load->n_waiting++] = (struct mp_heap_reference){
            .address = target, .from = load->n_objects - 1, .slot = (uint32_t)slot, .weak = head & 1};
    }
}

/* ---------------------------------------------------------------- classes */

struct class_key {
    uint64_t size;
    uint32_t type, site;
    uint64_t dead;
};

static uint32_t
add_class(struct mp_heap_loading *load, const struct class_key *key)
{
    struct mp_heap *heap = load->heap;
    uint32_t id = mp_map_add(&load->class_map, key, sizeof *key);

    if (id < heap->n_classes)
        return id;
    heap->classes = mp_arena_grow(heap->arena, heap->classes, heap->n_classes, &load->classes_room,
                                  sizeof *heap->classes);
    heap->classes[heap->n_classes++] = (struct mp_heap_class){key->type, key->site, key->size, key->dead};
    return id;
}

/* Returns the class with KEY, and adds it if it is new. Most objects have a class that was used recently, which a cache
 * finds faster than the map. */
static uint32_t
class_number(struct mp_heap_loading *load, const struct class_key *key)
{
    uint64_t hash = (key->size * 0x9e3779b97f4a7c15u) ^ ((uint64_t)key->site << 20 | key->type) * 0xff51afd7ed558ccdu;
    uint32_t *recent = &load->recent[(hash >> 40) % MP_HEAP_RECENT];
    const struct mp_heap_class *class;

    if (*recent > 0) {
        class = &load->heap->classes[*recent - 1];
        if (class->size == key->size && class->type == key->type && class->site == key->site &&
            class->dead == key->dead)
            return *recent - 1;
    }
    *recent = add_class(load, key) + 1;
    return *recent - 1;
}

/* ---------------------------------------------------------------- objects */

/* Returns the offset of the object at ADDRESS in the last segment. Begins a new segment if the offset does not fit into
 * 32 bits. */
static uint32_t
offset_of(struct mp_heap_loading *load, uint64_t address, uint64_t size)
{
    struct mp_heap *heap = load->heap;
    struct mp_heap_segment *last = heap->n_segments > 0 ? &heap->segments[heap->n_segments - 1] : NULL;

    if (!last || address - last->base > UINT32_MAX) {
        heap->segments = mp_arena_grow(heap->arena, heap->segments, heap->n_segments, &load->segments_room,
                                        sizeof *heap->segments);
        last = &heap->segments[heap->n_segments++];
        *last = (struct mp_heap_segment){.base = address, .first = load->n_objects};
    }
    last->end = address + size;
    return (uint32_t)(address - last->base);
}

static void
keep_object(struct mp_heap_loading *load, const struct class_key *key)
{
    struct mp_heap *heap = load->heap;

    if (load->n_objects == load->objects_room) {
        load->objects_room = larger(load->objects_room);
        heap->offsets = resized(heap->offsets, load->objects_room, sizeof *heap->offsets);
        heap->class_of = resized(heap->class_of, load->objects_room, sizeof *heap->class_of);
    }
    heap->offsets[load->n_objects] = offset_of(load, load->address, key->size);
    heap->class_of[load->n_objects] = class_number(load, key);
    heap->bytes += key->size;
}

static void
take_object(struct mp_heap_loading *load, struct mp_cursor *cursor)
{
    struct mp_heap *heap = load->heap;
    uint64_t gap = mp_cursor_varint(cursor), type;
    struct class_key key = {.size = mp_cursor_varint(cursor)};

    type = mp_cursor_varint(cursor);
    key.site = mp_cursor_below(cursor, heap->n_sites);
    key.dead = type & 1;
    key.type = (uint32_t)(type >> 1);
    if (type >> 1 >= heap->n_types)
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "an object of an unknown type");
    if (gap > UINT64_MAX - load->end || key.size > UINT64_MAX - load->end - gap ||
        (load->n_objects > 0 && load->end + gap == load->address))
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "an object has an impossible address");
    if (load->n_objects >= MP_HEAP_MOST_OBJECTS)
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "too many objects");
    if (load->pass != MP_PASS_OBJECTS && load->n_objects >= heap->n_objects)
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "the file has changed");
    if (cursor->problem)
        return;
    load->address = load->end + gap;
    load->end = load->address + key.size;
    load->slot = 0;
    if (load->pass == MP_PASS_OBJECTS)
        keep_object(load, &key);
    load->n_objects++;
    take_references(load, cursor);
}

static void
take_more(struct mp_heap_loading *load, struct mp_cursor *cursor)
{
    if (load->n_objects == 0)
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "references of no object");
    else
        take_references(load, cursor);
}

/* ----------------------------------------------------------------- passes */

/* Adds the type and the site with number 0, which mean none. */
static void
add_nothing(struct mp_heap_loading *load)
{
    struct mp_heap *heap = load->heap;

    heap->types = mp_arena_grow(heap->arena, NULL, 0, &load->types_room, sizeof *heap->types);
    heap->types[0] = (struct mp_heap_type){.shape = MP_SHAPE_OTHER, .name = ""};
    heap->sites = mp_arena_grow(heap->arena, NULL, 0, &load->sites_room, sizeof *heap->sites);
    heap->sites[0] = (struct mp_heap_site){.function = "", .file = ""};
    heap->n_types = heap->n_sites = 1;
}

static void
pass_begin(struct mp_heap_loading *load)
{
    if (load->pass == MP_PASS_OBJECTS)
        add_nothing(load);
    else
        references_begin(load);
}

/* Counts the objects that are not parts of others, and how many of these have no site. The program that wrote the
 * snapshot counted parts without a site, too, so its figure is replaced unless it is 0. */
static void
count_whole(struct mp_heap *heap)
{
    uint64_t without_site = 0;

    for (uint32_t i = 0; i < heap->n_objects; i++)
        if (!mp_heap_is_part(heap, i)) {
            heap->n_whole++;
            without_site += mp_heap_class(heap, i)->site == 0;
        }
    if (heap->facts[MP_FACT_MISSING_SITES] > 0)
        heap->facts[MP_FACT_MISSING_SITES] = without_site;
}

static bool
pass_end(struct mp_heap_loading *load, struct mp_error *error)
{
    struct mp_heap *heap = load->heap;

    if (load->pass == MP_PASS_OBJECTS) {
        heap->n_objects = load->n_objects;
        count_whole(heap);
        heap->offsets = resized(heap->offsets, (uint64_t)load->n_objects + 1, sizeof *heap->offsets);
        heap->class_of = resized(heap->class_of, (uint64_t)load->n_objects + 1, sizeof *heap->class_of);
        return true;
    }
    if (load->n_objects != heap->n_objects)
        return mp_fail(error, MP_ERR_DAMAGED, MP_NO_OFFSET, "%s has changed while it was read", heap->input.name);
    references_end(load);
    return true;
}

/* ------------------------------------------------------------------ texts */

static const char *
text_of(struct mp_heap_loading *load, struct mp_cursor *cursor)
{
    uint32_t number = mp_cursor_below(cursor, load->n_texts + 1);

    return number == 0 ? "" : load->texts[number - 1];
}

static const char *
take_text(struct mp_heap_loading *load, struct mp_cursor *cursor)
{
    uint32_t length = mp_cursor_below(cursor, MP_HEAP_MAX_TEXT + 1);
    const uint8_t *bytes = mp_cursor_bytes(cursor, length);

    if (!bytes || load->pass != MP_PASS_OBJECTS)
        return "";
    return mp_text_clean(load->heap->arena, (const char *)bytes, length);
}

static void
define_text(struct mp_heap_loading *load, struct mp_cursor *cursor)
{
    const char *text = take_text(load, cursor);

    if (load->pass != MP_PASS_OBJECTS || cursor->problem)
        return;
    load->texts = mp_arena_grow(load->arena, load->texts, load->n_texts, &load->texts_room, sizeof *load->texts);
    load->texts[load->n_texts++] = text;
}

/* ------------------------------------------------------------ definitions */

#define MOST_SLOTS ((uint64_t)1 << 20)  /* maximum number of slots with names, over all types */

static void
take_fact(struct mp_heap_loading *load, struct mp_cursor *cursor, bool is_text)
{
    uint64_t fact = mp_cursor_varint(cursor);
    const char *text = is_text ? text_of(load, cursor) : "";
    uint64_t value = is_text ? 0 : mp_cursor_varint(cursor);

    if (cursor->problem || fact >= MP_FACTS)    /* a later mprof may write more facts */
        return;
    if (is_text)
        load->heap->texts[fact] = text;
    else
        load->heap->facts[fact] = value;
}

static void
define_type(struct mp_heap_loading *load, struct mp_cursor *cursor)
{
    struct mp_heap *heap = load->heap;
    struct mp_heap_type type = {.shape = mp_cursor_below(cursor, MP_SHAPES), .name = text_of(load, cursor)};

    type.n_slots = mp_cursor_count(cursor, 1);
    load->n_slots += type.n_slots;
    if (load->n_slots > MOST_SLOTS)
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "types have too many slots");
    if (cursor->problem)
        return;
    type.slots = mp_arena_alloc(heap->arena, ((size_t)type.n_slots + 1) * sizeof *type.slots);
    for (uint32_t i = 0; i < type.n_slots; i++)
        type.slots[i] = text_of(load, cursor);
    if (cursor->problem)
        return;
    heap->types = mp_arena_grow(heap->arena, heap->types, heap->n_types, &load->types_room, sizeof *heap->types);
    heap->types[heap->n_types++] = type;
}

static void
define_site(struct mp_heap_loading *load, struct mp_cursor *cursor)
{
    struct mp_heap *heap = load->heap;
    struct mp_heap_site site = {.function = "", .file = ""};

    if (heap->form == MP_HEAP_RAW) {
        site.context = mp_cursor_varint(cursor);
    } else {
        site.caller = mp_cursor_below(cursor, heap->n_sites);
        site.function = text_of(load, cursor);
        site.file = text_of(load, cursor);
        site.line = mp_cursor_varint32(cursor);
        site.internal = site.line % 2 == 1;
        site.line = site.line / 2;
    }
    if (cursor->problem)
        return;
    heap->sites = mp_arena_grow(heap->arena, heap->sites, heap->n_sites, &load->sites_room, sizeof *heap->sites);
    heap->sites[heap->n_sites++] = site;
}

static void
take_root(struct mp_heap_loading *load, struct mp_cursor *cursor)
{
    struct mp_heap *heap = load->heap;
    struct mp_heap_root root = {.kind = mp_cursor_below(cursor, MP_ROOT_KINDS)};

    root.title = text_of(load, cursor);
    root.group = text_of(load, cursor);
    root.place = mp_cursor_varint(cursor);
    root.target = mp_cursor_varint(cursor);
    if (heap->n_roots >= MP_HEAP_MOST_ROOTS)
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "too many roots");
    if (cursor->problem)
        return;
    heap->roots = mp_arena_grow(heap->arena, heap->roots, heap->n_roots, &load->roots_room, sizeof *heap->roots);
    heap->roots[heap->n_roots++] = root;
}

static void
take_beginning(struct mp_heap_loading *load, struct mp_cursor *cursor, bool is_name)
{
    struct mp_heap *heap = load->heap;
    const char *text = take_text(load, cursor);
    uint32_t n = heap->n_beginnings;

    if (load->n_objects == 0)
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "a text of no object");
    else if (load->pass == MP_PASS_OBJECTS && n > 0 && heap->beginnings[n - 1].object == load->n_objects - 1)
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "two texts of one object");
    if (cursor->problem || load->pass != MP_PASS_OBJECTS)
        return;
    heap->beginnings = mp_arena_grow(heap->arena, heap->beginnings, n, &load->beginnings_room,
                                     sizeof *heap->beginnings);
    heap->beginnings[heap->n_beginnings++] = (struct mp_heap_beginning){load->n_objects - 1, is_name, text};
}

static void
take_part(struct mp_heap_loading *load, struct mp_cursor *cursor)
{
    struct mp_heap *heap = load->heap;
    const uint32_t type = mp_cursor_below(cursor, heap->n_types), owner = mp_cursor_below(cursor, heap->n_types);

    if (!cursor->problem && (type == 0 || owner == 0 || type == owner))
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "a part without an owner");
    if (!cursor->problem)
        heap->types[type].owner = owner;
}

/* Stores the keys of the last object. They are decoded when they are used; here they are only validated. */
static void
take_keys(struct mp_heap_loading *load, struct mp_cursor *cursor)
{
    struct mp_heap *heap = load->heap;
    const uint32_t size = mp_cursor_below(cursor, MP_HEAP_MAX_BLOCK);
    const uint8_t *bytes = mp_cursor_bytes(cursor, size);
    struct mp_heap_keys *keys;
    uint8_t *kept;
    struct mp_heap_key key;

    if (load->n_objects == 0)
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "keys of no object");
    if (cursor->problem || load->pass != MP_PASS_OBJECTS)
        return;
    heap->keys = mp_arena_grow(heap->arena, heap->keys, heap->n_keys, &load->keys_room, sizeof *heap->keys);
    keys = &heap->keys[heap->n_keys++];
    kept = mp_arena_alloc(heap->arena, (size_t)size + 1);
    memcpy(kept, bytes, size);
    *keys = (struct mp_heap_keys){load->n_objects - 1, size, kept};
    key = (struct mp_heap_key){.at = keys, .end = keys + 1};
    while (mp_heap_next_key(&key))
        continue;
    if (key.cursor.problem)
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "keys are incomplete");
}

static void
take_free(struct mp_heap_loading *load, struct mp_cursor *cursor)
{
    struct mp_heap *heap = load->heap;
    struct mp_heap_free free = {.number = mp_cursor_varint(cursor), .size = mp_cursor_varint(cursor)};

    free.bytes = mp_cursor_varint(cursor);
    free.places = free.size & 1;
    free.size /= 2;
    if (cursor->problem)
        return;
    heap->free = mp_arena_grow(heap->arena, heap->free, heap->n_free, &load->free_room, sizeof *heap->free);
    heap->free[heap->n_free++] = free;
}

static void
take_end(struct mp_heap_loading *load, struct mp_cursor *cursor)
{
    uint64_t objects = mp_cursor_varint(cursor), references = mp_cursor_varint(cursor);
    uint64_t roots = mp_cursor_varint(cursor), bytes = mp_cursor_varint(cursor);

    if (!cursor->problem && (objects != load->n_objects || references != load->n_references ||
                             roots != load->heap->n_roots || bytes != load->heap->bytes))
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "the sums at its end are not those of its objects");
    else if (mp_cursor_left(cursor) > 0)
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "records follow its end");
    load->ended = true;
}

/* ---------------------------------------------------------------- records */

/* Reads one record. In a later pass, skips texts, texts of objects and keys. */
static void
take_record(struct mp_heap_loading *load, struct mp_cursor *cursor)
{
    const uint8_t *tag = mp_cursor_bytes(cursor, 1);

    switch (tag ? *tag : 0) {
    case MP_HEAP_FACT: take_fact(load, cursor, false); return;
    case MP_HEAP_FACT_TEXT: take_fact(load, cursor, true); return;
    case MP_HEAP_TEXT: define_text(load, cursor); return;
    case MP_HEAP_TYPE: define_type(load, cursor); return;
    case MP_HEAP_SITE: define_site(load, cursor); return;
    case MP_HEAP_ROOT: take_root(load, cursor); return;
    case MP_HEAP_OBJECT: take_object(load, cursor); return;
    case MP_HEAP_MORE: take_more(load, cursor); return;
    case MP_HEAP_BEGINNING: take_beginning(load, cursor, false); return;
    case MP_HEAP_NAME: take_beginning(load, cursor, true); return;
    case MP_HEAP_PART: take_part(load, cursor); return;
    case MP_HEAP_KEYS: take_keys(load, cursor); return;
    case MP_HEAP_FREE: take_free(load, cursor); return;
    case MP_HEAP_END: take_end(load, cursor); return;
    default: mp_cursor_fail(cursor, MP_ERR_DAMAGED, "a record of an unknown type"); return;
    }
}

/* Reads one record in a later pass. Such a pass uses objects and their references, and skips definitions, which consist
 * of numbers only. */
static void
take_again(struct mp_heap_loading *load, struct mp_cursor *cursor)
{
    const uint8_t tag = cursor->at < cursor->end ? *cursor->at : 0;
    uint32_t n;

    switch (tag) {
    case MP_HEAP_FACT:
    case MP_HEAP_FACT_TEXT:
    case MP_HEAP_PART:
    case MP_HEAP_TYPE: n = 2; break;
    case MP_HEAP_FREE: n = 3; break;
    case MP_HEAP_SITE: n = load->heap->form == MP_HEAP_RAW ? 1 : 4; break;
    case MP_HEAP_ROOT: n = 5; break;
    default: take_record(load, cursor); return;
    }
    for (mp_cursor_bytes(cursor, 1); n > 0; n--)
        mp_cursor_varint(cursor);
    for (n = tag == MP_HEAP_TYPE ? mp_cursor_count(cursor, 1) : 0; n > 0; n--)
        mp_cursor_varint(cursor);       /* a slot */
}

static bool
read_blocks(struct mp_heap_loading *load, struct mp_heap_stream *stream, struct mp_error *error)
{
    struct mp_blocks *blocks = &stream->blocks;

    while (mp_heap_stream_more(stream)) {
        struct mp_cursor *cursor = &blocks->cursor;

        if (load->ended)
            return mp_fail(error, MP_ERR_DAMAGED, blocks->offset, "%s: blocks follow its end", blocks->input->name);
        if (!mp_blocks_next(blocks, error))
            return false;
        while (mp_cursor_left(cursor) > 0) {
            if (load->pass == MP_PASS_OBJECTS)
                take_record(load, cursor);
            else
                take_again(load, cursor);
        }
        if (!mp_cursor_error(cursor, blocks->input->name, "records", error))
            return false;
        mp_progress(blocks->offset, blocks->input->size);
    }
    return load->ended || mp_fail(error, MP_ERR_TRUNCATED, blocks->offset, "%s: it was not written to its end",
                                  blocks->input->name);
}

/* Reads the file once. TAKE and DATA are used by MP_PASS_EACH only. */
static bool
read_pass(struct mp_heap *heap, enum mp_heap_pass pass, mp_heap_take *take, void *data, struct mp_error *error)
{
    struct mp_heap_loading load = {.heap = heap, .pass = pass, .arena = mp_arena_new(), .take = take, .data = data};
    struct mp_heap_stream stream;
    bool ok = mp_heap_stream_open(&stream, &heap->input, error);

    load.class_map.arena = load.arena;
    load.recent = mp_arena_alloc(load.arena, MP_HEAP_RECENT * sizeof *load.recent);
    if (ok) {
        heap->form = stream.form;
        pass_begin(&load);
        mp_progress_begin(mp_text_basename(heap->input.name));
        ok = read_blocks(&load, &stream, error) && pass_end(&load, error);
        mp_progress_end();
        mp_blocks_end(&stream.blocks);
    }
    mp_arena_free(load.arena);
    return ok;
}

/* ------------------------------------------------------------------- heap */

static struct mp_heap *
new_heap(void)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_heap *heap = mp_arena_alloc(arena, sizeof *heap);

    heap->arena = arena;
    heap->input.fd = -1;
    for (unsigned i = 0; i < MP_FACTS; i++)
        heap->texts[i] = "";
    return heap;
}

static struct mp_heap *
load(struct mp_heap *heap, struct mp_error *error)
{
    heap->file_size = heap->input.size;
    if (read_pass(heap, MP_PASS_OBJECTS, NULL, NULL, error)) {
        mp_heap_make_index(heap);
        mp_heap_make_tops(heap);
        if (mp_heap_recall_references(heap, error))
            return heap;
    }
    mp_heap_free(heap);
    return NULL;
}

struct mp_heap *
mp_heap_load(const char *path, struct mp_error *error)
{
    struct mp_heap *heap = new_heap();

    if (mp_input_open(&heap->input, mp_arena_strdup(heap->arena, path), error))
        return load(heap, error);
    mp_heap_free(heap);
    return NULL;
}

struct mp_heap *
mp_heap_load_open(int fd, const char *name, struct mp_error *error)
{
    struct mp_heap *heap = new_heap();

    heap->input = (struct mp_input){.name = mp_arena_strdup(heap->arena, name), .fd = fd};
    if (mp_input_measure(&heap->input, error))
        return load(heap, error);
    mp_heap_free(heap);
    return NULL;
}

struct mp_heap *
mp_heap_load_bytes(const uint8_t *bytes, size_t size, const char *name, struct mp_error *error)
{
    static const uint8_t none[1];
    struct mp_heap *heap = new_heap();

    heap->input = (struct mp_input){.name = mp_arena_strdup(heap->arena, name), .bytes = bytes ? bytes : none,
                                    .fd = -1, .size = size};
    return load(heap, error);
}

void
mp_heap_forget_slots(struct mp_heap *heap)
{
    free(heap->slots);
    free(heap->wide);
    heap->slots = NULL;
    heap->wide = NULL;
}

void
mp_heap_forget_references(struct mp_heap *heap)
{
    mp_heap_forget_slots(heap);
    free(heap->first);
    free(heap->to);
    heap->first = heap->to = NULL;
}

bool
mp_heap_recall_references(struct mp_heap *heap, struct mp_error *error)
{
    if (heap->first || read_pass(heap, MP_PASS_REFERENCES, NULL, NULL, error))
        return true;
    mp_heap_forget_references(heap);
    return false;
}

void
mp_heap_remake_tops(struct mp_heap *heap)
{
    mp_heap_make_tops(heap);
    if (!heap->first)
        return;
    heap->n_references = heap->first[heap->n_objects];
    heap->first = resized(heap->first, (uint64_t)heap->n_nodes + 1, sizeof *heap->first);
    keep_top_edges(heap);
}

bool
mp_heap_each_reference(struct mp_heap *heap, mp_heap_take *take, void *data, struct mp_error *error)
{
    return read_pass(heap, MP_PASS_EACH, take, data, error);
}

void
mp_heap_free(struct mp_heap *heap)
{
    if (!heap)
        return;
    mp_heap_forget_references(heap);
    free(heap->passing);
    free(heap->offsets);
    free(heap->class_of);
    free(heap->index);
    mp_input_close(&heap->input);
    mp_arena_free(heap->arena);
}

bool
mp_heap_is_snapshot(const char *path)
{
    struct mp_error ignored = {0};
    struct mp_input input;
    char magic[8];
    bool is;

    if (!mp_input_open(&input, path, &ignored))
        return false;
    is = input.size >= sizeof magic && mp_input_read(&input, 0, magic, sizeof magic, &ignored) &&
         memcmp(magic, MP_HEAP_MAGIC, sizeof magic) == 0;
    mp_input_close(&input);
    return is;
}
