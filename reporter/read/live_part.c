/*
 * live_part.c -- limits a live file to the allocations of one thread, that is, of one recorder.
 *
 * Each context belongs to the tree of one recorder. The wanted contexts are those in which the wanted recorder has
 * allocated. Records of all other contexts are marked as not in use.
 */
#include <stdlib.h>

#include "live_parts.h"

static bool
is_wanted(const struct mp_live_reading *reading, uint32_t context)
{
    const size_t record = mp_image_find(&reading->image, MP_EXT_CONTEXTS, context);

    return record != MP_NO_RECORD && reading->wanted[record];
}

static void
find_wanted(struct mp_live_reading *reading)
{
    const struct mp_image_table *cells = &reading->image.tables[MP_EXT_CELLS];

    for (size_t i = 0; i < cells->count; i++) {
        const struct mp_live_cell *cell = (const void *)(cells->records + i * cells->record_size);
        const size_t record = cell->context && cell->recorder == reading->recorder && cell->allocs > 0
                                  ? mp_image_find(&reading->image, MP_EXT_CONTEXTS, cell->context) : MP_NO_RECORD;

        if (record != MP_NO_RECORD)
            reading->wanted[record] = true;
    }
}

/* Drops the records of KIND whose context is not wanted. All such records begin with the id of their context. */
static void
drop_others(struct mp_live_reading *reading, enum mp_extent_kind kind)
{
    struct mp_image_table *table = &reading->image.tables[kind];

    for (size_t i = 0; i < table->count; i++) {
        uint32_t *context = (void *)(table->records + i * table->record_size);

        if (*context && !is_wanted(reading, *context))
            *context = 0;
    }
}

void
mp_live_part_cells(struct mp_live_reading *reading)
{
    if (reading->recorder)
        drop_others(reading, MP_EXT_CELLS);
}

bool
mp_live_part(struct mp_live_reading *reading, struct mp_error *error)
{
    const struct mp_image_table *recorders = &reading->image.tables[MP_EXT_RECORDERS];
    const size_t record = reading->recorder ? mp_image_find(&reading->image, MP_EXT_RECORDERS, reading->recorder)
                                            : MP_NO_RECORD;

    if (!reading->recorder)
        return true;
    if (record == MP_NO_RECORD)
        return mp_fail(error, MP_ERR_UNKNOWN, MP_NO_OFFSET, "%s: what the thread allocated",
                       reading->image.input->name);
    reading->wanted = mp_live_array(reading, reading->image.tables[MP_EXT_CONTEXTS].count, sizeof *reading->wanted,
                                    error);
    if (!reading->wanted)
        return false;
    find_wanted(reading);
    mp_live_part_cells(reading);
    drop_others(reading, MP_EXT_AGES);
    drop_others(reading, MP_EXT_RESIZED);
    drop_others(reading, MP_EXT_LIFETIMES);
    reading->profile->meta.one_thread =
        ((const struct mp_live_recorder *)(const void *)(recorders->records + record * recorders->record_size))->tid;
    return true;
}
