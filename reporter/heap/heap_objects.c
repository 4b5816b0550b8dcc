/* Reads objects into arrays that grow by realloc(). The kernel grows large arrays by moving pages, so they are never
 * copied. */
#include "heap_parts.h"

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

/* Returns the offset of the object at ADDRESS in the last address range. Starts a new range if the offset does not
 * fit into 32 bits. */
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
        load->objects_room = mp_heap_larger(load->objects_room);
        heap->offsets = mp_heap_grown(heap->offsets, load->objects_room, sizeof *heap->offsets);
        heap->class_of = mp_heap_grown(heap->class_of, load->objects_room, sizeof *heap->class_of);
    }
    heap->offsets[load->n_objects] = offset_of(load, load->address, key->size);
    heap->class_of[load->n_objects] = class_number(load, key);
    heap->bytes += key->size;
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
    mp_heap_take_references(load, cursor);
}

void
mp_heap_take_more(struct mp_heap_loading *load, struct mp_cursor *cursor)
{
    if (load->n_objects == 0)
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "references of no object");
    else
        mp_heap_take_references(load, cursor);
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

void
mp_heap_pass_begin(struct mp_heap_loading *load)
{
    if (load->pass == MP_PASS_OBJECTS)
        add_nothing(load);
    else
        mp_heap_references_begin(load);
}

bool
mp_heap_pass_end(struct mp_heap_loading *load, struct mp_error *error)
{
    struct mp_heap *heap = load->heap;

    if (load->pass == MP_PASS_OBJECTS) {
        heap->n_objects = load->n_objects;
        for (uint32_t i = 0; i < heap->n_objects; i++)
            heap->n_whole += !mp_heap_is_part(heap, i);
        heap->offsets = mp_heap_grown(heap->offsets, (uint64_t)load->n_objects + 1, sizeof *heap->offsets);
        heap->class_of = mp_heap_grown(heap->class_of, (uint64_t)load->n_objects + 1, sizeof *heap->class_of);
        return true;
    }
    if (load->n_objects != heap->n_objects)
        return mp_fail(error, MP_ERR_DAMAGED, MP_NO_OFFSET, "%s has changed while it was read", heap->input.name);
    mp_heap_references_end(load);
    return true;
}
