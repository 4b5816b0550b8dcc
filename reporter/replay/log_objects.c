/* SPDX-License-Identifier: MIT */
#include "log_objects.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/base/arena.h"
#include "reporter/base/map.h"

#define SPAN_OBJECTS   (MP_EVENT_SPAN / MP_LOG_UNIT)
#define MOST_OBJECTS   ((uint32_t)1 << 27)
#define MOST_UNITS     ((uint32_t)1 << 30)

/* The state of reading. */
struct reading {
    struct mp_objects *objects;
    const char *path;
    struct mp_map spans;        /* ids of spans, by address / MP_EVENT_SPAN */
    uint32_t (*at)[SPAN_OBJECTS];       /* by span and unit: 1 + the live object that begins there, or 0 */
    uint32_t spans_room, room, freed_room, collections_room;
    struct mp_logged_collection next;   /* figures of the collection that is about to end */
    uint64_t live[MP_EVENT_UNCOLLECTABLE + 1];  /* bytes of live objects, by enum mp_event */
};

/* Returns the entry of `at` for ADDRESS. */
static uint32_t *
place_of(struct reading *reading, uint64_t address)
{
    const uint32_t n = reading->spans.count, id = mp_map_add_u64(&reading->spans, address / MP_EVENT_SPAN);

    if (id == n) {
        reading->at = mp_grow(reading->at, n, &reading->spans_room, sizeof *reading->at);
        memset(reading->at[id], 0, sizeof reading->at[id]);
    }
    return &reading->at[id][address % MP_EVENT_SPAN / MP_LOG_UNIT];
}

/* Removes the live object at PLACE, if there is one, and sets its end to END. */
static void
end_object(struct reading *reading, uint32_t *place, uint32_t end)
{
    struct mp_objects *objects = reading->objects;
    const uint32_t object = *place - 1;

    if (*place == 0)
        return;
    *place = 0;
    objects->ends[object] = end;
    objects->ended++;
    objects->ended_bytes += mp_object_bytes(objects, object);
    reading->live[objects->sizes[object] % 4] -= mp_object_bytes(objects, object);
}

static void
free_object(struct reading *reading, uint32_t *place)
{
    struct mp_objects *objects = reading->objects;

    if (*place == 0)
        return;
    objects->freed = mp_grow(objects->freed, objects->n_freed, &reading->freed_room, sizeof *objects->freed);
    objects->freed[objects->n_freed++] = *place - 1;
    end_object(reading, place, MP_OBJECT_FREED | objects->n);
}

static bool
add_object(struct reading *reading, const struct mp_log_event *event, struct mp_error *error)
{
    struct mp_objects *objects = reading->objects;
    uint32_t *place = place_of(reading, event->address), room = reading->room;

    if (objects->n == MOST_OBJECTS || event->value >= MOST_UNITS)
        return mp_fail(error, MP_ERR_DAMAGED, MP_NO_OFFSET, "%s: %s", reading->path,
                       event->value >= MOST_UNITS ? "an object is too large" : "too many objects");
    free_object(reading, place);        /* the event that ended an earlier object here is missing */
    objects->sizes = mp_grow(objects->sizes, objects->n, &reading->room, sizeof *objects->sizes);
    objects->ends = mp_grow(objects->ends, objects->n, &room, sizeof *objects->ends);
    objects->sizes[objects->n] = 4 * (uint32_t)event->value + event->tag;
    objects->ends[objects->n] = MP_OBJECT_LIVES;
    objects->bytes += mp_object_bytes(objects, objects->n);
    reading->live[event->tag] += mp_object_bytes(objects, objects->n);
    *place = ++objects->n;
    return true;
}

static void
add_collection(struct reading *reading, const struct mp_log_event *event)
{
    struct mp_objects *objects = reading->objects;

    objects->collections = mp_grow(objects->collections, objects->n_collections, &reading->collections_room,
                                sizeof *objects->collections);
    reading->next.at = objects->n;
    reading->next.bytes = objects->bytes;
    reading->next.atomic = reading->live[MP_EVENT_ATOMIC];
    reading->next.pointers = reading->live[MP_EVENT_POINTERS] + reading->live[MP_EVENT_UNCOLLECTABLE];
    reading->next.divisor = event->value <= UINT32_MAX ? (uint32_t)event->value : 0;
    reading->next.incremental = event->bits & MP_COLLECTOR_INCREMENTAL;
    objects->collections[objects->n_collections++] = reading->next;
    reading->next = (struct mp_logged_collection){0};
}

static bool
add_event(struct reading *reading, const struct mp_log_event *event, struct mp_error *error)
{
    switch (event->tag) {
    case MP_EVENT_FREE:
        free_object(reading, place_of(reading, event->address));
        return true;
    case MP_EVENT_DEAD:
        for (uint64_t bits = event->bits; bits; bits &= bits - 1)
            end_object(reading, place_of(reading, event->address +
                                                      MP_LOG_UNIT * (unsigned)__builtin_ctzll(bits)),
                       reading->objects->n_collections);
        return true;
    case MP_EVENT_FIGURE:
        if (event->value < MP_EVENT_FIGURES)
            reading->next.figures[event->value] = event->bits;
        return true;
    case MP_EVENT_COLLECTED:
        add_collection(reading, event);
        return true;
    case MP_LOG_MISSING:
        reading->objects->missing += event->value;
        return true;
    default:
        return add_object(reading, event, error);
    }
}

struct mp_objects *
mp_objects_read(const char *path, const struct mp_log_of *of, struct mp_error *error)
{
    struct mp_log_reader *reader = mp_log_open(path, of, error);
    struct reading reading = {.path = path};
    struct mp_log_event event = {0};
    bool ok = true;

    if (!reader)
        return NULL;
    reading.objects = mp_need(calloc(1, sizeof *reading.objects));
    reading.spans.arena = mp_arena_new();
    while (ok && event.tag != MP_LOG_END)
        ok = mp_log_next(reader, &event, error) &&
             (event.tag == MP_LOG_END || add_event(&reading, &event, error));
    mp_log_close(reader);
    mp_arena_free(reading.spans.arena);
    free(reading.at);
    if (!ok) {
        mp_objects_free(reading.objects);
        return NULL;
    }
    return reading.objects;
}

void
mp_objects_free(struct mp_objects *objects)
{
    if (!objects)
        return;
    free(objects->sizes);
    free(objects->ends);
    free(objects->freed);
    free(objects->collections);
    free(objects);
}
