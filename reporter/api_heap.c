#include "api.h"

#include "reporter/heap/heap_hold.h"

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

static bool
find(const char *file, uint64_t address, const struct mp_report_range *own, size_t n, uint32_t most,
     struct mp_report_hold *hold, struct mp_error *error)
{
    struct mp_heap_range *ranges = mp_arena_alloc(hold->arena, (n + 1) * sizeof *ranges);
    struct mp_heap *heap = mp_heap_load(file, error);
    struct mp_heap_hold found;

    if (!heap)
        return false;
    for (size_t i = 0; i < n; i++)
        ranges[i] = (struct mp_heap_range){own[i].start, own[i].end};
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
