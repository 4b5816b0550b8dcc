/* SPDX-License-Identifier: MIT */
/* replay.c -- simulates libgc's policy. */
#include "replay.h"

#include "reporter/profile/collections.h"

#define LEAST_STEP ((double)16 * 4096)  /* in bytes, libgc's MINHINCR blocks */
#define MOST_STEPS 10000000u            /* maximum steps of a replay; a setting that collects all the time counts as
                                           out of memory */

/* The state of a replay in bytes, as doubles, because all results are predictions. */
struct course {
    const struct mp_replay *replay;
    const struct mp_replay_setting *setting;
    double now, end;            /* bytes allocated at present and at the end */
    double heap;                /* memory that the heap takes from the system */
    double live;                /* live after the last collection */
    double since;               /* allocated since the last collection */
    uint32_t place;             /* index of NOW in the recording's collections */
};

/* Returns the bytes that are live after c->now bytes were allocated. Interpolates between the collections of the
 * recording. */
static double
live_now(struct course *c)
{
    const struct mp_collections *all = c->replay->collections;
    const struct mp_collection *a, *b;
    double length;

    while (c->place + 2 < all->n && (double)all->list[c->place + 1].allocated <= c->now)
        c->place++;
    a = &all->list[c->place];
    b = a + 1;
    length = (double)b->allocated - (double)a->allocated;
    if (length <= 0 || c->now <= (double)a->allocated)
        return (double)a->after;
    if (c->now >= (double)b->allocated)
        return (double)b->after;
    return (double)a->after +
           ((double)b->after - (double)a->after) * (c->now - (double)a->allocated) / length;
}

/* Returns the bytes that must be allocated after a collection before the next one. */
static double
enough(const struct course *c)
{
    const struct mp_replay *r = c->replay;
    const double range = (double)r->most_live - r->least_live;
    const double part = range > 0 ? (c->live - r->least_live) / range : 0;
    const double sum = r->least_enough + (r->most_enough - r->least_enough) * (part > 0 ? part : 0);
    const double bytes = sum / c->setting->divisor / (c->setting->incremental ? 2 : 1);

    return bytes > LEAST_STEP ? bytes : LEAST_STEP;
}

static double
room(const struct course *c)
{
    return c->heap * c->replay->filled - c->live - c->since;
}

static void
allocate(struct course *c, double bytes)
{
    c->now += bytes;
    c->since += bytes;
}

static void
collect(struct course *c, struct mp_replay_result *result)
{
    c->live = live_now(c);
    c->since = 0;
    result->collections++;
    result->pauses += (uint64_t)(c->replay->fixed + c->replay->each * c->live);
}

/* Enlarges the heap. Returns false if the maximum is reached. */
static bool
grow(struct course *c)
{
    double step = c->heap / c->setting->divisor;

    if (step > (double)MP_REPLAY_STEP)
        step = (double)MP_REPLAY_STEP;
    if (step < LEAST_STEP)
        step = LEAST_STEP;
    if (c->setting->most_heap && c->heap + step > (double)c->setting->most_heap)
        step = (double)c->setting->most_heap - c->heap;
    if (step < 1)
        return false;
    c->heap += step;
    return true;
}

/* Frees space in a full heap by a collection, or enlarges it. Returns false if neither is possible. */
static bool
make_room(struct course *c, struct mp_replay_result *result)
{
    if (c->since > 0 && c->since >= enough(c)) {
        collect(c, result);
        if (room(c) >= 1)
            return true;
    }
    if (grow(c))
        return true;
    if (c->since > 0)
        collect(c, result);
    return room(c) >= 1;
}

void
mp_replay_run(const struct mp_replay *replay, const struct mp_replay_setting *setting,
              struct mp_replay_result *result)
{
    const struct mp_collections *all = replay->collections;
    const struct mp_collection *first = &all->list[replay->start], *last = &all->list[all->n - 1];
    struct course c = {.replay = replay, .setting = setting, .now = (double)first->allocated,
                       .end = (double)last->allocated + 1,      /* includes the last collection */
                       .heap = (double)first->heap_size,
                       .live = (double)first->after, .place = replay->start};

    *result = (struct mp_replay_result){.collections = 0};
    for (uint32_t i = 0; i <= replay->start; i++) {
        result->collections += all->list[i].number;
        result->pauses += all->list[i].pause;
    }
    if ((double)setting->first_heap > c.heap)
        c.heap = (double)setting->first_heap;
    for (uint32_t steps = 0; c.now < c.end; steps++) {
        double next = room(&c);

        if (setting->incremental && enough(&c) - c.since < next)
            next = enough(&c) - c.since;
        if (next > c.end - c.now)
            next = c.end - c.now;
        if (next >= 1) {
            allocate(&c, next);
            if (c.now >= c.end)
                break;
        }
        if (setting->incremental && c.since > 0 && c.since >= enough(&c))
            collect(&c, result);
        else if (!make_room(&c, result) || steps == MOST_STEPS) {
            result->ends_at = (uint64_t)c.now;
            break;
        }
    }
    result->heap = (uint64_t)c.heap;
}

unsigned
mp_replay_best(const struct mp_replay_setting settings[], const struct mp_replay_result results[],
               unsigned n, uint64_t most)
{
    unsigned best = n;

    for (unsigned i = 0; i < n; i++)
        if (!settings[i].incremental && !results[i].ends_at && results[i].heap <= most &&
            (best == n || results[i].pauses < results[best].pauses))
            best = i;
    return best;
}
