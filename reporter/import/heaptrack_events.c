/* SPDX-License-Identifier: MIT */
#include "heaptrack_events.h"

#include <string.h>

#define MOST_POINTS 1024u       /* maximum in the time line */

struct mp_heaptrack_events
mp_heaptrack_events(struct mp_arena *arena)
{
    return (struct mp_heaptrack_events){
        .keys.arena = arena, .epoch = 1, .last = MP_NO_ID, .every = 1, .arena = arena};
}

void
mp_heaptrack_inform(struct mp_heaptrack_events *events, uint64_t size, uint32_t context)
{
    const uint64_t key[] = {size, context};
    uint32_t known = events->keys.count, cell = mp_map_add(&events->keys, key, sizeof key);

    if (cell == known) {
        events->cells = mp_arena_grow(events->arena, events->cells, cell, &events->cells_room,
                                      sizeof *events->cells);
        events->cells[cell] = (struct mp_heaptrack_cell){.size = size, .context = context};
    }
    events->infos = mp_arena_grow(events->arena, events->infos, events->n_infos, &events->infos_room,
                                  sizeof *events->infos);
    events->infos[events->n_infos++] = cell;
}

/* ---------------------------------------------------------------- events */

/* Saves CELL's number of live blocks at the peak. Called before its counters change. Does nothing if CELL has changed
 * since the peak. */
static void
save(const struct mp_heaptrack_events *events, struct mp_heaptrack_cell *cell)
{
    if (cell->epoch == events->epoch)
        return;
    cell->at_peak = cell->allocs - cell->frees;
    cell->epoch = events->epoch;
}

uint64_t
mp_heaptrack_at_peak(const struct mp_heaptrack_events *events, const struct mp_heaptrack_cell *cell)
{
    return cell->epoch == events->epoch ? cell->at_peak : cell->allocs - cell->frees;
}

const char *
mp_heaptrack_allocated(struct mp_heaptrack_events *events, uint64_t info)
{
    struct mp_heaptrack_cell *cell;

    if (info >= events->n_infos)
        return "an allocation of which nothing is known";
    cell = &events->cells[events->infos[info]];
    if (__builtin_add_overflow(events->bytes, cell->size, &events->bytes) || events->bytes > INT64_MAX)
        return "sizes beyond all bounds";
    save(events, cell);
    cell->allocs++;
    events->allocs++;
    events->live += cell->size;
    events->blocks++;
    events->last = (uint32_t)info;
    if (events->live > events->peak) {
        events->peak = events->live;
        events->peak_blocks = events->blocks;
        events->peak_time = events->time;
        events->epoch++;
    }
    return NULL;
}

const char *
mp_heaptrack_freed(struct mp_heaptrack_events *events, uint64_t info)
{
    struct mp_heaptrack_cell *cell;

    if (info >= events->n_infos)
        return "a free of which nothing is known";
    cell = &events->cells[events->infos[info]];
    if (cell->frees == cell->allocs)
        return "more frees than allocations";
    save(events, cell);
    cell->frees++;
    cell->temporary += events->last == info;
    events->live -= cell->size;
    events->blocks--;
    events->last = MP_NO_ID;
    return NULL;
}

/* ---------------------------------------------------------------- time */

/* Drops every second point. */
static void
thin(struct mp_heaptrack_events *events)
{
    for (uint32_t i = 0; i < MOST_POINTS / 2; i++)
        events->points[i] = events->points[2 * i];
    events->n_points = MOST_POINTS / 2;
    events->every *= 2;
}

static void
add_point(struct mp_heaptrack_events *events)
{
    if (!events->points)
        events->points = mp_arena_alloc(events->arena, MOST_POINTS * sizeof *events->points);
    if (events->n_points == MOST_POINTS)
        thin(events);
    events->points[events->n_points++] = (struct mp_point){
        .time = events->time, .live = events->live, .blocks = events->blocks, .allocs = events->allocs,
        .bytes = events->bytes, .resident = MP_NOT_SEEN};
}

const char *
mp_heaptrack_timed(struct mp_heaptrack_events *events, uint64_t milliseconds)
{
    if (milliseconds > INT64_MAX / 1000000 || milliseconds * 1000000 < events->time)
        return "time goes backwards";
    events->time = milliseconds * 1000000;
    if (events->stamps++ % events->every == 0)
        add_point(events);
    return NULL;
}

void
mp_heaptrack_resident(struct mp_heaptrack_events *events, uint64_t bytes)
{
    if (events->n_points > 0 && events->points[events->n_points - 1].time == events->time)
        events->points[events->n_points - 1].resident = bytes;
}

struct mp_timeline *
mp_heaptrack_timeline(struct mp_heaptrack_events *events, struct mp_arena *arena)
{
    struct mp_timeline *timeline = mp_arena_alloc(arena, sizeof *timeline);
    const struct mp_moment moments[] = {
        {.kind = MP_MOMENT_START, .name = "", .exact = true, .has_changes = true},
        {.kind = MP_MOMENT_PEAK, .time = events->peak_time, .name = "", .exact = true},
        {.kind = MP_MOMENT_END, .time = events->time, .name = "", .exact = true, .has_changes = true}};

    if (events->time == 0)
        return NULL;
    timeline->n_moments = sizeof moments / sizeof *moments;
    timeline->moments = mp_arena_alloc(arena, sizeof moments);
    memcpy(timeline->moments, moments, sizeof moments);
    timeline->n_points = events->n_points;
    timeline->points = mp_arena_alloc(arena, events->n_points * sizeof *timeline->points);
    memcpy(timeline->points, events->points, events->n_points * sizeof *timeline->points);
    return timeline;
}
