/* SPDX-License-Identifier: MIT */
#include "api.h"

#include <locale.h>
#include <stdlib.h>

#include "reporter/base/format_number.h"
#include "reporter/heap/heap_growth.h"
#include "reporter/heap/heap_hold.h"
#include "reporter/heap/heap_names.h"

/* Returns a copy of STEPS in ARENA, including the texts, which may belong to the heap. */
static struct mp_report_way
copy(const struct mp_heap_step *steps, uint32_t n, struct mp_arena *arena)
{
    struct mp_report_way way = {mp_arena_alloc(arena, ((size_t)n + 1) * sizeof *way.steps), n};

    for (uint32_t i = 0; i < n; i++)
        way.steps[i] = (struct mp_report_step){mp_arena_strdup(arena, steps[i].what),
                                               mp_arena_strdup(arena, steps[i].by), steps[i].address, steps[i].bytes};
    return way;
}

static struct mp_heap_range *
ranges_of(const struct mp_report_range *own, size_t n, struct mp_arena *arena)
{
    struct mp_heap_range *ranges = mp_arena_alloc(arena, (n + 1) * sizeof *ranges);

    for (size_t i = 0; i < n; i++)
        ranges[i] = (struct mp_heap_range){own[i].start, own[i].end};
    return ranges;
}

static bool
find(const char *file, uint64_t address, const struct mp_report_range *own, size_t n, uint32_t most,
     struct mp_report_hold *hold, struct mp_error *error)
{
    const struct mp_heap_range *ranges = ranges_of(own, n, hold->arena);
    struct mp_heap *heap = mp_heap_load(file, error);
    struct mp_heap_hold found;

    if (!heap)
        return false;
    if (!mp_heap_hold(heap, address, ranges, n, most, hold->arena, &found, error)) {
        mp_heap_free(heap);
        return false;
    }
    hold->retained = found.retained.bytes;
    hold->retained_objects = found.retained.objects;
    hold->own = found.own;
    hold->more = found.more;
    hold->n_ways = found.n_ways;
    hold->ways = mp_arena_alloc(hold->arena, ((size_t)found.n_ways + 1) * sizeof *hold->ways);
    for (uint32_t i = 0; i < found.n_ways; i++)
        hold->ways[i] = copy(found.ways[i].steps, found.ways[i].n, hold->arena);
    hold->cut = copy(found.cut, found.n_cut, hold->arena);
    mp_heap_free(heap);
    return true;
}

bool
mp_report_hold(const char *file, uint64_t address, const struct mp_report_range own[], size_t n, uint32_t most,
               struct mp_report_hold *hold, struct mp_error *error)
{
    jmp_buf no_memory;
    bool ok;

    *hold = (struct mp_report_hold){0};
    if (setjmp(no_memory) != 0) {
        mp_when_no_memory(NULL);
        return mp_report_no_memory(file, error);
    }
    mp_when_no_memory(&no_memory);
    hold->arena = mp_arena_new();
    ok = find(file, address, own, n, most, hold, error);
    mp_when_no_memory(NULL);
    if (!ok)
        mp_report_hold_free(hold);
    return ok;
}

void
mp_report_hold_free(struct mp_report_hold *hold)
{
    mp_arena_free(hold->arena);
    *hold = (struct mp_report_hold){0};
}

/* -------------------------------------------------------- what is in a heap */

/* The tables of a result, to be printed. */
struct printed {
    const struct mp_report_heap *result;
    const struct mp_report_heap_request *request;
    const struct mp_heap_tables *tables;
};

static bool
print_tables(const void *data, FILE *out, struct mp_error *error)
{
    const struct printed *printed = data;
    const struct mp_report_heap *result = printed->result;
    const struct mp_print_options how = {.width = printed->request->width};
    char objects[MP_NUMBER_SIZE], bytes[MP_NUMBER_SIZE], heap[MP_NUMBER_SIZE];

    (void)error;
    fprintf(out, "%s objects, %s bytes, in a heap of %s bytes\n", mp_number_grouped(result->objects, objects),
            mp_number_grouped(result->bytes, bytes), mp_number_grouped(result->heap, heap));
    mp_heap_tables_print(printed->tables, &how, out);
    return true;
}

/* Fills RESULT, whose arena is set. */
static bool
look(const struct mp_report_heap_request *request, struct mp_report_heap *result, struct mp_error *error)
{
    struct mp_heap *heap = result->loaded;
    const bool types = request->types && *request->types;
    const struct mp_heap_question question = {
        .type = types ? request->types[0] : NULL, .more_types = types ? request->types + 1 : NULL,
        .root = request->root, .slots = types, .referrers = types, .typical = types, .depth = 2,
        .own = ranges_of(request->own, request->n_own, result->arena), .n_own = types ? request->n_own : 0};
    const struct mp_heap_wish wish = {.package = request->package, .standard = request->standard,
                                      .by_growth = request->by_growth, .since = request->since};
    struct mp_heap_tables *tables = mp_arena_alloc(result->arena, sizeof *tables);

    *tables = (struct mp_heap_tables){.arena = result->arena, .most = request->most};
    if (heap->n_sites > 1 && mp_heap_name(heap, NULL))
        mp_heap_charge(heap);
    result->objects = heap->n_whole;
    result->bytes = heap->bytes;
    result->heap = heap->facts[MP_FACT_HEAP];
    result->state = mp_heap_now(heap, &question, &wish, tables, error);
    if (!result->state) {
        if (request->root && error->code == MP_ERR_SYSTEM)      /* all else that can fail has another code */
            error->code = MP_ERR_UNKNOWN;
        return false;
    }
    result->tables = tables->list;
    result->n_tables = tables->n;
    result->text = mp_report_in_utf8(print_tables, &(struct printed){result, request, tables}, error);
    return result->text != NULL;
}

bool
mp_report_heap(const char *file, const struct mp_report_heap_request *request, struct mp_report_heap *result,
               struct mp_error *error)
{
    locale_t before = uselocale((locale_t)0);
    jmp_buf no_memory;
    bool ok;

    *result = (struct mp_report_heap){0};
    if (setjmp(no_memory) != 0) {
        mp_when_no_memory(NULL);
        uselocale(before);
        return mp_report_no_memory(file, error);
    }
    mp_when_no_memory(&no_memory);
    result->arena = mp_arena_new();
    result->loaded = mp_heap_load(file, error);
    ok = result->loaded && look(request, result, error);
    mp_when_no_memory(NULL);
    if (ok)
        return true;
    mp_report_heap_forget(result->state);
    mp_report_heap_free(result);
    return false;
}

void
mp_report_heap_free(struct mp_report_heap *result)
{
    free(result->text);
    mp_heap_free(result->loaded);
    mp_arena_free(result->arena);
    *result = (struct mp_report_heap){0};
}

void
mp_report_heap_forget(struct mp_heap_state *state)
{
    mp_heap_state_free(state);
}
