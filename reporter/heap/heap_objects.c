/* Objects and references, in arrays that grow by realloc(): of large ones the kernel moves pages, so that there is
 * never a copy. */
#include <stdlib.h>
#include <string.h>

#include "heap_parts.h"

static void *
grown(void *list, uint64_t room, size_t size)
{
    return mp_need(realloc(list, (size_t)room * size));
}

static uint64_t
larger(uint64_t room)
{
    return room + room / 2 + 1024;
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

/* Where the object stands: its offset in the last stretch, or in a new one. */
static uint32_t
offset_of(struct mp_heap_loading *load, uint64_t address, uint64_t size)
{
    struct mp_heap *heap = load->heap;
    struct mp_heap_stretch *last = heap->n_stretches > 0 ? &heap->stretches[heap->n_stretches - 1] : NULL;

    if (!last || address - last->base > UINT32_MAX) {
        heap->stretches = mp_arena_grow(heap->arena, heap->stretches, heap->n_stretches, &load->stretches_room,
                                        sizeof *heap->stretches);
        last = &heap->stretches[heap->n_stretches++];
        *last = (struct mp_heap_stretch){.base = address, .first = load->n_objects};
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
        heap->offsets = grown(heap->offsets, load->objects_room, sizeof *heap->offsets);
        heap->class_of = grown(heap->class_of, load->objects_room, sizeof *heap->class_of);
    }
    heap->offsets[load->n_objects] = offset_of(load, load->address, key->size);
    heap->class_of[load->n_objects] = class_number(load, key);
    heap->bytes += key->size;
}

/* ------------------------------------------------------------- references */

static void
keep_slot(struct mp_heap_loading *load, uint64_t slot, unsigned bits)
{
    struct mp_heap *heap = load->heap;
    uint64_t distance = slot - load->kept_slot;

    if (distance >= MP_SLOT_WIDE) {
        if (heap->n_wide == load->wide_room) {
            load->wide_room = larger(load->wide_room);
            heap->wide = grown(heap->wide, load->wide_room, sizeof *heap->wide);
        }
        heap->wide[heap->n_wide++] = (struct mp_heap_wide){heap->n_references, (uint32_t)distance};
        distance = MP_SLOT_WIDE;
    }
    heap->slots[heap->n_references] = (uint8_t)(distance | bits);
    load->kept_slot = slot + 1;
}

static void
keep_reference(struct mp_heap_loading *load, uint64_t slot, bool weak, uint64_t target)
{
    struct mp_heap *heap = load->heap;
    bool inside;
    uint32_t object = mp_heap_find(heap, target, &inside);

    if (object == MP_NO_ID) {
        heap->nowhere++;
        return;
    }
    if (heap->n_references == load->references_room) {
        load->references_room = larger(load->references_room);
        heap->to = grown(heap->to, load->references_room, sizeof *heap->to);
        heap->slots = grown(heap->slots, load->references_room, sizeof *heap->slots);
    }
    keep_slot(load, slot, (weak ? MP_REFERENCE_WEAK : 0) | (inside ? MP_REFERENCE_INSIDE : 0));
    heap->to[heap->n_references++] = object;
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
        if (load->pass == MP_PASS_REFERENCES)
            keep_reference(load, slot, head & 1, target);
    }
}

/* ---------------------------------------------------------------- records */

void
mp_heap_take_object(struct mp_heap_loading *load, struct mp_cursor *cursor)
{
    struct mp_heap *heap = load->heap;
    uint64_t gap = mp_cursor_varint(cursor), type;
    struct class_key key = {.size = mp_cursor_varint(cursor)};

    type = mp_cursor_varint(cursor);
    key.site = mp_cursor_below(cursor, heap->n_sites);
    key.dead = type & 1;
    key.type = (uint32_t)(type >> 1);
    if (type >> 1 >= heap->n_types)
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "an object of no type");
    if (gap > UINT64_MAX - load->end || key.size > UINT64_MAX - load->end - gap ||
        (load->n_objects > 0 && load->end + gap == load->address))
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "an object in no place");
    if (load->n_objects >= MP_HEAP_MOST_OBJECTS)
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "too many objects");
    if (load->pass == MP_PASS_REFERENCES && load->n_objects >= heap->n_objects)
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "the file has changed");
    if (cursor->problem)
        return;
    load->address = load->end + gap;
    load->end = load->address + key.size;
    load->slot = load->kept_slot = 0;
    if (load->pass == MP_PASS_OBJECTS)
        keep_object(load, &key);
    else
        heap->first[load->n_objects] = heap->n_references;
    load->n_objects++;
    take_references(load, cursor);
}

void
mp_heap_take_more(struct mp_heap_loading *load, struct mp_cursor *cursor)
{
    if (load->n_objects == 0)
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "references of no object");
    else
        take_references(load, cursor);
}

/* ----------------------------------------------------------------- passes */

/* What number 0 stands for: nothing. */
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

bool
mp_heap_pass_begin(struct mp_heap_loading *load)
{
    struct mp_heap *heap = load->heap;

    if (load->pass == MP_PASS_OBJECTS) {
        add_nothing(load);
        return true;
    }
    heap->first = mp_need(malloc(((size_t)heap->n_nodes + 1) * sizeof *heap->first));
    load->references_room = heap->n_references;         /* as many as last time, if there was one */
    load->references_room += 1024;
    heap->to = grown(NULL, load->references_room, sizeof *heap->to);
    heap->slots = grown(NULL, load->references_room, sizeof *heap->slots);
    heap->n_references = heap->n_wide = 0;
    heap->nowhere = 0;
    return true;
}

/* The edges of tops stand behind those of objects. */
static void
add_top_edges(struct mp_heap_loading *load)
{
    struct mp_heap *heap = load->heap;
    uint64_t n = (uint64_t)heap->n_references + heap->n_top_edges;
    uint32_t at = 0;

    heap->to = grown(heap->to, n + 1, sizeof *heap->to);
    heap->slots = grown(heap->slots, n + 1, sizeof *heap->slots);
    for (uint32_t node = heap->n_objects; node < heap->n_nodes; node++) {
        heap->first[node] = heap->n_references;
        for (; at < heap->n_top_edges && heap->top_edges[at].from == node; at++) {
            heap->to[heap->n_references] = heap->top_edges[at].to;
            heap->slots[heap->n_references++] = heap->top_edges[at].slot;
        }
    }
    heap->first[heap->n_nodes] = heap->n_references;
}

bool
mp_heap_pass_end(struct mp_heap_loading *load, struct mp_error *error)
{
    struct mp_heap *heap = load->heap;

    if (load->pass == MP_PASS_OBJECTS) {
        heap->n_objects = load->n_objects;
        heap->offsets = grown(heap->offsets, (uint64_t)load->n_objects + 1, sizeof *heap->offsets);
        heap->class_of = grown(heap->class_of, (uint64_t)load->n_objects + 1, sizeof *heap->class_of);
        return true;
    }
    if (load->n_objects != heap->n_objects)
        return mp_fail(error, MP_ERR_DAMAGED, MP_NO_OFFSET, "%s has changed while it was read", heap->input.name);
    add_top_edges(load);
    return true;
}
