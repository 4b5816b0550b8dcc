/* Reads references, finds their targets in batches, and stores them or passes them to a callback. */
#include "heap_parts.h"

/* ------------------------------------------------------------------- kept */

static void
keep_slot(struct mp_heap_loading *load, uint64_t slot, unsigned bits)
{
    struct mp_heap *heap = load->heap;
    uint64_t distance = slot - load->kept_slot;

    if (distance >= MP_SLOT_WIDE) {
        if (heap->n_wide == load->wide_room) {
            load->wide_room = mp_heap_larger(load->wide_room);
            heap->wide = mp_heap_grown(heap->wide, load->wide_room, sizeof *heap->wide);
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

static inline bool
leads_nowhere(const struct mp_heap *heap, const struct mp_heap_reference *reference)
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
        load->references_room = mp_heap_larger(load->references_room);
        heap->to = mp_heap_grown(heap->to, load->references_room, sizeof *heap->to);
        heap->slots = mp_heap_grown(heap->slots, load->references_room, sizeof *heap->slots);
    }
    keep_slot(load, reference->slot, (leads_nowhere(heap, reference) ? MP_REFERENCE_WEAK : 0) |
                                     (reference->inside ? MP_REFERENCE_INSIDE : 0));
    heap->to[heap->n_references++] = reference->to;
}

/* Appends the edges of tops to the references of objects. */
static void
keep_top_edges(struct mp_heap_loading *load)
{
    struct mp_heap *heap = load->heap;
    uint64_t n = (uint64_t)heap->n_references + heap->n_top_edges;
    uint32_t at = 0;

    begin_objects(load, heap->n_objects);
    heap->to = mp_heap_grown(heap->to, n + 1, sizeof *heap->to);
    heap->slots = mp_heap_grown(heap->slots, n + 1, sizeof *heap->slots);
    for (uint32_t node = heap->n_objects; node < heap->n_nodes; node++) {
        heap->first[node] = heap->n_references;
        for (; at < heap->n_top_edges && heap->top_edges[at].from == node; at++) {
            heap->to[heap->n_references] = heap->top_edges[at].to;
            heap->slots[heap->n_references++] = heap->top_edges[at].slot;
        }
    }
    heap->first[heap->n_nodes] = heap->n_references;
}

/* ---------------------------------------------------------------- waiting */

static void
give(struct mp_heap_loading *load)
{
    for (uint32_t i = 0; i < load->n_waiting && load->pass == MP_PASS_EACH; i++)
        load->waiting[i].weak = leads_nowhere(load->heap, &load->waiting[i]);
    if (load->pass == MP_PASS_EACH)
        load->take(load->data, load->waiting, load->n_waiting);
    for (uint32_t i = 0; i < load->n_waiting && load->pass == MP_PASS_REFERENCES; i++)
        keep_reference(load, &load->waiting[i]);
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

/* ------------------------------------------------------------------- pass */

void
mp_heap_references_begin(struct mp_heap_loading *load)
{
    struct mp_heap *heap = load->heap;

    load->waiting = mp_arena_alloc(load->arena, MP_HEAP_BATCH * sizeof *load->waiting);
    if (load->pass == MP_PASS_EACH)
        return;
    heap->first = mp_need(malloc(((size_t)heap->n_nodes + 1) * sizeof *heap->first));
    load->references_room = heap->n_references;         /* as many as were read the last time, if any */
    load->references_room += 1024;
    heap->to = mp_heap_grown(NULL, load->references_room, sizeof *heap->to);
    heap->slots = mp_heap_grown(NULL, load->references_room, sizeof *heap->slots);
    heap->n_references = heap->n_wide = 0;
    heap->nowhere = 0;
}

void
mp_heap_references_end(struct mp_heap_loading *load)
{
    find_waiting(load);
    if (load->pass == MP_PASS_EACH)
        give_top_edges(load);
    else
        keep_top_edges(load);
}

void
mp_heap_take_references(struct mp_heap_loading *load, struct mp_cursor *cursor)
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
