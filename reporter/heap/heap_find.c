/* SPDX-License-Identifier: MIT */
/* Finds objects by address, their texts and keys, and iterates over references. */
#include <stdlib.h>

#include "heap_parts.h"
#include "reporter/base/search.h"

/* ------------------------------------------------------------------ index */

static uint32_t
segment_objects(const struct mp_heap *heap, uint32_t segment)
{
    uint32_t end = segment + 1 < heap->n_segments ? heap->segments[segment + 1].first : heap->n_objects;

    return end - heap->segments[segment].first;
}

/* Returns the smallest shift for which a segment of SPAN bytes has at most one index entry for each four objects. */
static unsigned
shift_for(uint64_t span, uint32_t objects)
{
    unsigned shift = 0;

    while (span >> shift > objects / 4)
        shift++;
    return shift;
}

/* Returns the number of index entries of SEGMENT: those needed for its addresses, and one for its end. */
static uint32_t
segment_entries(const struct mp_heap *heap, const struct mp_heap_segment *segment)
{
    uint32_t last = segment->first + segment_objects(heap, (uint32_t)(segment - heap->segments)) - 1;

    return (heap->offsets[last] >> segment->shift) + 2;
}

static void
fill_index(struct mp_heap *heap, const struct mp_heap_segment *segment)
{
    uint32_t *entries = heap->index + segment->index, n = segment_entries(heap, segment);
    uint32_t object = segment->first, end = object + segment_objects(heap, (uint32_t)(segment - heap->segments));

    for (uint32_t i = 0; i < n; i++) {
        uint64_t most = (uint64_t)i << segment->shift;

        while (object + 1 < end && heap->offsets[object + 1] <= most)
            object++;
        entries[i] = object;
    }
}

void
mp_heap_make_index(struct mp_heap *heap)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < heap->n_segments; i++) {
        struct mp_heap_segment *segment = &heap->segments[i];
        uint32_t objects = segment_objects(heap, i);

        segment->shift = shift_for(heap->offsets[segment->first + objects - 1], objects);
        segment->index = n;
        n += segment_entries(heap, segment);
    }
    heap->index = mp_need(malloc(((size_t)n + 1) * sizeof *heap->index));
    for (uint32_t i = 0; i < heap->n_segments; i++)
        fill_index(heap, &heap->segments[i]);
}

/* Returns the last segment that begins at or before ADDRESS, or NULL. */
static const struct mp_heap_segment *
segment_at(const struct mp_heap *heap, uint64_t address)
{
    const uint32_t n = MP_AT_MOST(heap->segments, heap->n_segments, base, address);

    return n > 0 ? &heap->segments[n - 1] : NULL;
}

/* A search for the object that contains an address. */
struct place {
    const struct mp_heap_segment *segment;      /* segment that may contain the address, or NULL */
    uint64_t offset;            /* of the address in the segment */
    uint32_t low, high;         /* first and last candidate: entries of the index, and after narrow() objects */
};

static struct place
place_of(const struct mp_heap *heap, uint64_t address)
{
    struct place place = {.segment = segment_at(heap, address)};
    uint64_t entry;
    uint32_t last;

    if (!place.segment || address > place.segment->end) {
        place.segment = NULL;
        return place;
    }
    place.offset = address - place.segment->base;
    entry = place.offset >> place.segment->shift;
    last = segment_entries(heap, place.segment) - 1;
    place.low = place.segment->index + (entry < last ? (uint32_t)entry : last);
    place.high = place.segment->index + (entry < last ? (uint32_t)entry + 1 : last);
    return place;
}

/* Replaces the entries of the index by the objects that they name. */
static void
narrow(const struct mp_heap *heap, struct place *place)
{
    place->low = heap->index[place->low];
    place->high = heap->index[place->high];
}

/* Returns the object that contains the address, or MP_NO_ID. Sets *INSIDE if it is not the object's first byte. */
static uint32_t
object_at(const struct mp_heap *heap, const struct place *place, bool *inside)
{
    uint32_t low = place->low, high = place->high;

    while (low < high) {
        uint32_t middle = low + (high - low + 1) / 2;

        if (heap->offsets[middle] <= place->offset)
            low = middle;
        else
            high = middle - 1;
    }
    *inside = heap->offsets[low] != place->offset;
    return *inside && place->offset - heap->offsets[low] >= mp_heap_class(heap, low)->size ? MP_NO_ID : low;
}

uint32_t
mp_heap_find(const struct mp_heap *heap, uint64_t address, bool *inside)
{
    struct place place = place_of(heap, address);

    *inside = false;
    if (!place.segment)
        return MP_NO_ID;
    narrow(heap, &place);
    return object_at(heap, &place, inside);
}

/* Finds the objects of all N references. Does each step for all references before the next step, so that memory
 * accesses overlap. */
void
mp_heap_find_all(const struct mp_heap *heap, struct mp_heap_reference *list, uint32_t n)
{
    struct place places[MP_HEAP_BATCH];

    for (uint32_t i = 0; i < n; i++) {
        places[i] = place_of(heap, list[i].address);
        if (places[i].segment)
            __builtin_prefetch(&heap->index[places[i].low]);
    }
    for (uint32_t i = 0; i < n; i++)
        if (places[i].segment) {
            narrow(heap, &places[i]);
            __builtin_prefetch(&heap->offsets[places[i].low]);
            __builtin_prefetch(&heap->offsets[places[i].high]);
        }
    for (uint32_t i = 0; i < n; i++) {
        list[i].inside = false;
        list[i].to = places[i].segment ? object_at(heap, &places[i], &list[i].inside) : MP_NO_ID;
    }
}

uint64_t
mp_heap_address(const struct mp_heap *heap, uint32_t object)
{
    const uint32_t n = MP_AT_MOST(heap->segments, heap->n_segments, first, object);

    return heap->segments[n - 1].base + heap->offsets[object];
}

const struct mp_heap_beginning *
mp_heap_beginning(const struct mp_heap *heap, uint32_t object)
{
    const uint32_t n = MP_AT_MOST(heap->beginnings, heap->n_beginnings, object, object);

    return n > 0 && heap->beginnings[n - 1].object == object ? &heap->beginnings[n - 1] : NULL;
}

/* ------------------------------------------------------------------- keys */

struct mp_heap_key
mp_heap_first_key(const struct mp_heap *heap, uint32_t entries)
{
    const uint32_t first = entries > 0 ? MP_AT_MOST(heap->keys, heap->n_keys, object, entries - 1) : 0;
    const uint32_t end = MP_AT_MOST(heap->keys, heap->n_keys, object, entries);

    return (struct mp_heap_key){.at = &heap->keys[first], .end = &heap->keys[end]};
}

bool
mp_heap_next_key(struct mp_heap_key *key)
{
    struct mp_cursor *cursor = &key->cursor;
    bool first = false;
    uint64_t head;

    while (!cursor->problem && mp_cursor_left(cursor) == 0) {
        if (key->at == key->end)
            return false;
        mp_cursor_init(cursor, key->at->bytes, key->at->size, 0);
        first = true;
        key->at++;
    }
    head = mp_cursor_varint(cursor);
    key->entry = head / 4 + (first ? 0 : key->entry + 1);
    key->kind = (enum mp_heap_key_kind)(head % 4);
    if (key->kind == MP_KEY_FIXNUM) {
        key->number = mp_cursor_signed(cursor);
    } else {
        key->length = mp_cursor_below(cursor, MP_HEAP_MAX_TEXT + 1);
        key->text = (const char *)mp_cursor_bytes(cursor, key->length);
    }
    if (key->kind >= MP_KEY_KINDS)
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "a key of no kind");
    return !cursor->problem;
}

/* ------------------------------------------------------------------- walk */

struct mp_heap_walk
mp_heap_walk(const struct mp_heap *heap, uint32_t node)
{
    struct mp_heap_walk walk = {.at = heap->first[node], .end = heap->first[node + 1], .slot = UINT64_MAX};

    if (walk.at > 0 && walk.at < walk.end)
        walk.wide = MP_AT_MOST(heap->wide, heap->n_wide, reference, walk.at - 1);
    return walk;
}

bool
mp_heap_next(const struct mp_heap *heap, struct mp_heap_walk *walk)
{
    uint8_t slot;

    if (walk->at == walk->end)
        return false;
    slot = heap->slots[walk->at];
    walk->to = heap->to[walk->at++];
    walk->weak = slot & MP_REFERENCE_WEAK;
    walk->inside = slot & MP_REFERENCE_INSIDE;
    slot &= MP_SLOT_WIDE;
    walk->slot += 1 + (uint64_t)(slot < MP_SLOT_WIDE ? slot : heap->wide[walk->wide++].distance);
    return true;
}
