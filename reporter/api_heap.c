#include "api.h"

#include "reporter/heap/heap_hold.h"

static bool
find(const char *file, uint64_t address, const struct mp_report_range *own, size_t n, struct mp_report_hold *hold,
     struct mp_error *error)
{
    struct mp_heap_range *ranges = mp_arena_alloc(hold->arena, (n + 1) * sizeof *ranges);
    struct mp_heap *heap = mp_heap_load(file, error);
    struct mp_heap_hold found;

    if (!heap)
        return false;
    for (size_t i = 0; i < n; i++)
        ranges[i] = (struct mp_heap_range){own[i].start, own[i].end};
    if (!mp_heap_hold(heap, address, ranges, n, hold->arena, &found, error)) {
        mp_heap_free(heap);
        return false;
    }
    hold->retained = found.retained.bytes;
    hold->retained_objects = found.retained.objects;
    hold->own = found.own;
    hold->n = found.n;
    hold->steps = mp_arena_alloc(hold->arena, ((size_t)found.n + 1) * sizeof *hold->steps);
    for (uint32_t i = 0; i < found.n; i++)          /* texts may be the heap's */
        hold->steps[i] = (struct mp_report_step){mp_arena_strdup(hold->arena, found.steps[i].what),
                                                 mp_arena_strdup(hold->arena, found.steps[i].by),
                                                 found.steps[i].address, found.steps[i].bytes};
    mp_heap_free(heap);
    return true;
}

bool
mp_report_hold(const char *file, uint64_t address, const struct mp_report_range own[], size_t n,
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
    ok = find(file, address, own, n, hold, error);
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
