/* live_collections.c -- reads garbage collections from the monitor's marks. */
#include "live_parts.h"
#include "reporter/profile/collections.h"

void
mp_live_collections(struct mp_live_reading *reading, const uint32_t *marks, uint32_t n)
{
    const struct mp_live_header *header = &reading->image.header;
    const void *records = reading->image.tables[MP_EXT_MARKS].records;
    struct mp_arena *arena = reading->profile->arena;
    uint64_t allocated = 0;
    struct mp_collections *all = mp_arena_alloc(arena, sizeof *all);

    *all = (struct mp_collections){.list = mp_arena_alloc(arena, (n + 1) * sizeof *all->list),
                                   .divisor = header->collector_divisor,
                                   .incremental = header->collector_flags & MP_COLLECTOR_INCREMENTAL};
    for (uint32_t i = 0; i < n; i++) {
        const struct mp_live_mark *mark = (const struct mp_live_mark *)records + marks[i];

        if (mark->kind != MP_MARK_COLLECTION || mark->number == 0 || mark->heap_size == 0 ||
            mark->allocated < allocated)
            continue;
        allocated = mark->allocated;
        all->list[all->n++] = (struct mp_collection){
            .time = mark->monotonic > header->start_monotonic ? mark->monotonic - header->start_monotonic : 0,
            .number = mark->number, .pause = mark->pause, .before = mark->heap_before, .after = mark->heap_after,
            .heap_size = mark->heap_size, .allocated = mark->allocated};
    }
    if (all->n > 0)
        reading->profile->collections = all;
}
