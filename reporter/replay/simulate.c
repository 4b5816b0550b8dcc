/* SPDX-License-Identifier: MIT */
#include "simulate.h"

#include <stdlib.h>

#include "reporter/base/arena.h"
#include "reporter/base/search.h"
#include "simulated_heap.h"

#define LEAST_PAGES  16u        /* libgc's MINHINCR */
#define MOST_PAGES   (((uint32_t)1 << 24) - 1)  /* simulated_heap.c numbers all units of the heap by 32 bits */
#define SLOP         64u        /* pages; twice libgc's BL_LIMIT */
#define ALL_PARTIAL  19u        /* partial collections between two full ones, libgc's GC_full_freq */

/* ------------------------------------------------------------------ lifetimes */

static unsigned
age_index(uint32_t age)
{
    return 31 - (unsigned)__builtin_clz(age | 1);
}

/* Returns the time when the Kth collection ended; the first is number 1. Returns 0 if K is 0. If the log ends during
 * the Kth collection, returns the end of the log. */
static uint32_t
time_of(const struct mp_objects *objects, uint32_t k)
{
    return k == 0 ? 0 : k <= objects->n_collections ? objects->collections[k - 1].at : objects->n;
}

/* Returns a pseudo-random number from 0 to 1 that depends only on OBJECT. */
static double
chance(uint32_t object)
{
    return (double)(object * UINT32_C(2654435769)) / UINT32_MAX;
}

/* Finds which share of the objects reaches each age. Counts each object at the age that it has at its first
 * collection, which finds it alive or dead. Ignores objects that the program freed. */
static void
learn_ages(struct mp_simulation *simulation)
{
    const struct mp_objects *objects = simulation->objects;
    uint64_t all[MP_REPLAY_AGES] = {0}, alive[MP_REPLAY_AGES] = {0};
    uint32_t next = 0;

    for (uint32_t i = 0; i < objects->n; i++) {
        const uint32_t end = objects->ends[i];
        unsigned index;

        while (next < objects->n_collections && objects->collections[next].at <= i)
            next++;
        if (next == objects->n_collections)
            break;
        if (end != MP_OBJECT_LIVES && end & MP_OBJECT_FREED)
            continue;
        index = age_index(objects->collections[next].at - i);
        all[index]++;
        alive[index] += end > next;
    }
    for (unsigned i = 0; i < MP_REPLAY_AGES; i++) {
        simulation->lives[i] = all[i] > 0 ? (double)alive[i] / (double)all[i] : i > 0 ? simulation->lives[i - 1] : 1;
        if (i > 0 && simulation->lives[i] > simulation->lives[i - 1])
            simulation->lives[i] = simulation->lives[i - 1];
    }
}

/* The simulation of one setting. */
struct course {
    const struct mp_simulation *simulation;
    const struct mp_replay *replay;
    const struct mp_replay_setting *setting;
    struct mp_replay_result *result;
    struct mp_simulated_heap *heap;
    uint32_t now;               /* objects allocated so far */
    uint64_t since, freed;      /* bytes allocated and explicitly freed since the last collection */
    int64_t uncollectable;      /* bytes by which uncollectable blocks have grown since then */
    uint64_t enough;            /* bytes to be allocated before the next collection */
    uint64_t requested_heap;    /* initial size in bytes */
    uint64_t most_used;         /* bytes in use after the last full collection, plus `enough` then */
    uint32_t partial;           /* partial collections since the last full one */
};

/* Returns whether OBJECT is dead at the present time of the course DATA, see simulate.h. */
static bool
is_dead(const void *data, uint32_t object)
{
    const struct course *c = data;
    const struct mp_objects *objects = c->simulation->objects;
    const double *lives = c->simulation->lives;
    const uint32_t end = objects->ends[object];
    uint32_t from, to;

    if (end == MP_OBJECT_LIVES)
        return object >= time_of(objects, objects->n_collections) &&
               chance(object) >= lives[age_index(c->now - object)];
    if (end & MP_OBJECT_FREED)
        return c->now >= (end & ~MP_OBJECT_FREED);
    from = time_of(objects, end);
    to = time_of(objects, end + 1);
    if (c->now >= to)
        return true;
    if (object < from)          /* survived a collection */
        return c->now > from && (double)(c->now - from) >= chance(object) * (double)(to - from);
    from = age_index(c->now - object);
    to = age_index(to - object);
    return lives[to] >= 1 || chance(object) >= (lives[from] - lives[to]) / (1 - lives[to]);
}

/* ------------------------------------------------------------------ the policy */

/* Returns the bytes that must be allocated before the next collection, as libgc's min_bytes_allocd(). */
static uint64_t
enough_for(const struct course *c)
{
    const struct mp_simulated_figures figures = mp_simulated_heap_figures(c->heap);
    const uint64_t sum = 2 * figures.pointers + figures.atomic / 4 + c->simulation->roots;

    return sum / c->setting->divisor / (c->setting->incremental ? 2 : 1);
}

/* Returns whether libgc's GC_should_collect() would return true. Bytes that the program freed explicitly are subtracted
 * from the allocated bytes, but at least an eighth of the allocated bytes counts. */
static bool
should_collect(const struct course *c)
{
    const int64_t since = (int64_t)c->since;
    int64_t counted = since - (int64_t)c->freed - c->uncollectable;

    if (counted > since)
        counted = since;
    if (counted < since / 8)
        counted = since / 8;
    return (uint64_t)counted >= c->enough;
}

static void
collect(struct course *c, bool may_be_partial)
{
    struct mp_simulated_figures figures = mp_simulated_heap_figures(c->heap);
    const bool partial =
        may_be_partial && c->partial < ALL_PARTIAL && figures.size - figures.free < c->most_used;

    mp_simulated_heap_collect(c->heap, partial, is_dead, c);
    c->since = c->freed = 0;
    c->uncollectable = 0;
    c->enough = enough_for(c);
    c->partial = partial ? c->partial + 1 : 0;
    figures = mp_simulated_heap_figures(c->heap);
    if (!partial)
        c->most_used = figures.size - figures.free + c->enough;
    c->result->collections++;
    c->result->pauses += (uint64_t)(c->replay->fixed +
                                    c->replay->each * (double)(figures.pointers + figures.atomic));
}

/* Enlarges the heap by PAGES, or by LEAST_PAGES if that is more. Returns false if it would exceed the maximum. */
static bool
grow_by(struct course *c, uint64_t pages)
{
    const uint64_t size = mp_simulated_heap_figures(c->heap).size;

    if (pages < LEAST_PAGES)
        pages = LEAST_PAGES;
    if (size / MP_PAGE + pages > MOST_PAGES ||
        (c->setting->most_heap > 0 && size + pages * MP_PAGE > c->setting->most_heap))
        return false;
    mp_simulated_heap_grow(c->heap, (uint32_t)pages);
    return true;
}

/* Enlarges the heap as libgc's GC_collect_or_expand() does for an object of NEEDED pages. Returns false if the maximum
 * is reached. */
static bool
grow(struct course *c, uint64_t needed)
{
    const uint64_t most = MP_REPLAY_STEP / MP_PAGE;
    uint64_t pages = mp_simulated_heap_figures(c->heap).size / MP_PAGE / c->setting->divisor + needed;

    if (pages > most)
        pages = needed + (needed < SLOP ? needed : SLOP) > most ? needed + (needed < SLOP ? needed : SLOP) : most;
    return grow_by(c, pages) || (pages != needed && grow_by(c, needed));
}

/* Puts the next object into the heap. Returns false if memory is exhausted. */
static bool
allocate(struct course *c)
{
    const struct mp_objects *objects = c->simulation->objects;
    const uint32_t object = c->now, units = objects->sizes[object] / 4;
    const unsigned treatment = objects->sizes[object] % 4;
    const uint64_t bytes = mp_object_bytes(objects, object);
    bool collected = false;

    for (;;) {
        const bool due = should_collect(c);
        const struct mp_simulated_figures figures = mp_simulated_heap_figures(c->heap);

        if (mp_simulated_heap_put(c->heap, object, units, treatment,
                                  due && !c->setting->incremental &&
                                      figures.size - figures.free >= c->requested_heap))
            break;
        if (due && !c->setting->incremental && !collected) {
            collect(c, false);
            collected = true;
        } else if (!grow(c, (bytes + MP_PAGE - 1) / MP_PAGE)) {
            if (collected)
                return false;
            collect(c, false);
            collected = true;
        }
    }
    c->since += bytes;
    if (treatment == MP_EVENT_UNCOLLECTABLE)
        c->uncollectable += (int64_t)bytes;
    return true;
}

static void
free_explicitly(struct course *c, uint32_t object)
{
    const struct mp_objects *objects = c->simulation->objects;

    if (!mp_simulated_heap_take(c->heap, object))
        return;
    c->freed += mp_object_bytes(objects, object);
    if (objects->sizes[object] % 4 == MP_EVENT_UNCOLLECTABLE)
        c->uncollectable -= (int64_t)mp_object_bytes(objects, object);
}

static uint64_t
allocated_at(const struct mp_objects *objects, uint32_t now)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < now; i++)
        bytes += mp_object_bytes(objects, i);
    return bytes;
}

void
mp_simulate(const struct mp_simulation *simulation, const struct mp_replay *replay,
            const struct mp_replay_setting *setting, struct mp_replay_result *result)
{
    const struct mp_objects *objects = simulation->objects;
    struct course c = {.simulation = simulation, .replay = replay, .setting = setting, .result = result,
                       .heap = mp_simulated_heap_new(objects->n), .requested_heap = setting->first_heap};
    uint32_t freed = 0, k = 0;

    *result = (struct mp_replay_result){.collections = 0};
    grow_by(&c, setting->first_heap / MP_PAGE);
    c.enough = enough_for(&c);
    for (; c.now < objects->n; c.now++) {
        for (; freed < objects->n_freed &&
               (objects->ends[objects->freed[freed]] & ~MP_OBJECT_FREED) <= c.now; freed++)
            free_explicitly(&c, objects->freed[freed]);
        for (; k < objects->n_collections && objects->collections[k].at <= c.now; k++)
            if (simulation->requested[k])
                collect(&c, false);
        if (setting->incremental && should_collect(&c))
            collect(&c, true);
        if (!allocate(&c)) {
            result->ends_at = allocated_at(objects, c.now);
            break;
        }
    }
    for (; !result->ends_at && k < objects->n_collections; k++)
        if (simulation->requested[k])
            collect(&c, false);
    result->heap = mp_simulated_heap_figures(c.heap).size;
    mp_simulated_heap_free(c.heap);
}

/* ------------------------------------------------------------------ roots and requests */

/* Returns what must be allocated before collection K of the recording because of the live objects, times the divisor.
 * Sets *GIVEN to what was allocated, times the divisor. */
static uint64_t
needed_before(const struct mp_objects *objects, uint32_t k, uint32_t divisor, uint64_t *given)
{
    static const struct mp_logged_collection none;
    const struct mp_logged_collection *one = &objects->collections[k], *before = k > 0 ? one - 1 : &none;

    *given = (one->bytes - before->bytes) * divisor * (one->incremental ? 2 : 1);
    return 2 * before->pointers + before->atomic / 4;
}

static int
by_size(const void *a, const void *b)
{
    return mp_order(*(const uint64_t *)a, *(const uint64_t *)b);
}

/* Finds the collections that the program requested. Estimates the size of the roots. It is the largest size with which
 * at most a tenth of the other collections would have come too early; the program may have requested these, too. */
void
mp_simulation_learn(struct mp_simulation *simulation, const struct mp_objects *objects, uint32_t divisor)
{
    const uint32_t n = objects->n_collections;
    uint64_t *largest = mp_need(calloc((size_t)n + 1, sizeof *largest)), given;
    uint32_t n_largest = 0;

    *simulation = (struct mp_simulation){.objects = objects};
    simulation->requested = mp_need(calloc((size_t)n + 1, sizeof *simulation->requested));
    for (uint32_t k = 0; k < n; k++) {
        const uint64_t needed = needed_before(objects, k, divisor, &given);

        simulation->requested[k] = objects->collections[k].at == 0 || given < needed - needed / 4;
        simulation->n_requested += simulation->requested[k];
        if (!simulation->requested[k])
            largest[n_largest++] = given > needed ? given - needed : 0;
    }
    qsort(largest, n_largest, sizeof *largest, by_size);
    simulation->roots = n_largest > 0 ? largest[n_largest / 10] : 0;
    free(largest);
    learn_ages(simulation);
}

void
mp_simulation_free(struct mp_simulation *simulation)
{
    free(simulation->requested);
    simulation->requested = NULL;
}
