/*
 * live_figures.c -- converts one cell record of any supported version to struct mp_live_figures.
 */
#include "live_old.h"
#include "live_parts.h"

static const void *
record_at(const struct mp_live_reading *reading, enum mp_extent_kind kind, size_t index)
{
    const struct mp_image_table *table = &reading->image.tables[kind];

    return table->records + index * table->record_size;
}

static bool
is_old(const struct mp_live_reading *reading)
{
    return reading->image.header.version < 3;
}

/* The fields of the key have had the same offsets in all versions. */
struct mp_live_key
mp_live_key(const struct mp_live_reading *reading, size_t index)
{
    const struct mp_live_cell *cell = record_at(reading, MP_EXT_CELLS, index);

    if (is_old(reading))
        return (struct mp_live_key){.context = cell->context, .kind = cell->kind};
    return (struct mp_live_key){.context = cell->context,
                                .kind = cell->kind & (uint16_t)~MP_CELL_MIXED,
                                .uniform = !(cell->kind & MP_CELL_MIXED)};
}

/* ---------------------------------------------------------------- before version 3 */

static bool
take_share_2(struct mp_live_reading *reading, size_t index, struct mp_live_figures *figures,
             struct mp_error *error)
{
    uint32_t id = mp_image_id(&reading->image, MP_EXT_CELLS, index);
    size_t tail_index = mp_image_find(&reading->image, MP_EXT_MIXED, id);
    const struct mp_live_tail_2 *tail;

    if (tail_index == MP_NO_RECORD)
        return mp_live_damaged(reading, MP_EXT_CELLS, index,
                               offsetof(struct mp_live_cell_2, stamp),
                               "a cell's tail is not there", error);
    tail = record_at(reading, MP_EXT_MIXED, tail_index);
    figures->peak_bytes = tail->saved_bytes;
    figures->peak_blocks = tail->saved_blocks;
    return true;
}

static bool
take_2(struct mp_live_reading *reading, size_t index, struct mp_live_figures *figures,
       struct mp_error *error)
{
    const struct mp_live_cell_2 *cell = record_at(reading, MP_EXT_CELLS, index);
    const bool lisp = cell->kind >= MP_KIND_LISP;

    *figures = (struct mp_live_figures){
        .key = mp_live_key(reading, index),
        .allocs = cell->allocs, .bytes = cell->bytes, .frees = cell->frees, .freed = cell->freed,
        .temporary = lisp ? 0 : cell->temporary, .requested = lisp ? cell->requested : 0,
        .size_min = cell->size_min, .size_max = cell->size_max,
        .peak_bytes = (int64_t)(cell->bytes - cell->freed),
        .peak_blocks = (int64_t)(cell->allocs - cell->frees)};
    return cell->stamp != reading->image.header.epoch ||
           take_share_2(reading, index, figures, error);
}

/* ---------------------------------------------------------------- since version 3 */

/* Returns whether CELL's stamp shows that the cell saved its share of the last peak. If the cell's recorder was
 * created after recorders were copied, it is in the present era. */
static bool
is_saved(const struct mp_live_reading *reading, const struct mp_live_cell *cell)
{
    const size_t index = mp_image_find(&reading->image, MP_EXT_RECORDERS, cell->recorder);
    const uint64_t epoch = reading->image.header.epoch;
    const uint64_t peak = mp_image_epoch_peak(&reading->image);
    uint64_t era = epoch & ~(uint64_t)UINT32_MAX;

    if (index != MP_NO_RECORD)
        era = ((const struct mp_live_recorder *)record_at(reading, MP_EXT_RECORDERS, index))->era;
    return cell->stamp >= peak && (era + cell->stamp) / peak == epoch / peak;
}

static void
take_uniform(const struct mp_live_reading *reading, const struct mp_live_cell *cell, bool saved,
             struct mp_live_figures *figures)
{
    figures->size = cell->size;
    figures->bytes = figures->allocs * cell->size;
    figures->freed = figures->frees * cell->size;
    figures->size_min = figures->allocs ? cell->size : UINT32_MAX;
    figures->size_max = figures->allocs ? cell->size : 0;
    figures->peak_bytes = saved ? (int64_t)cell->saved * cell->size
                                : (int64_t)(figures->bytes - figures->freed);
    if (figures->key.kind < MP_KIND_LISP)
        return;
    /* In a running process, slack and bytes may come from different points in time. */
    if (cell->slack <= figures->bytes || !reading->image.alive)
        figures->requested = figures->bytes - cell->slack;
    figures->temporary = 0;
}

static bool
take_mixed(struct mp_live_reading *reading, size_t index, const struct mp_live_cell *cell,
           bool saved, struct mp_live_figures *figures, struct mp_error *error)
{
    const size_t mixed_index = mp_image_find(&reading->image, MP_EXT_MIXED, cell->size);
    const struct mp_live_mixed *mixed;

    if (mixed_index == MP_NO_RECORD)
        return mp_live_damaged(reading, MP_EXT_CELLS, index, offsetof(struct mp_live_cell, size),
                               "the bytes of a mixed cell are not there", error);
    mixed = record_at(reading, MP_EXT_MIXED, mixed_index);
    figures->bytes = mixed->bytes;
    figures->freed = mixed->freed;
    figures->size_min = mixed->size_min;
    figures->size_max = mixed->size_max;
    figures->peak_bytes = saved ? mixed->saved_bytes : (int64_t)(mixed->bytes - mixed->freed);
    if (figures->key.kind < MP_KIND_LISP)
        return true;
    figures->requested = mixed->requested;
    figures->temporary = 0;
    return true;
}

bool
mp_live_figures(struct mp_live_reading *reading, size_t index, struct mp_live_figures *figures,
                struct mp_error *error)
{
    const struct mp_live_cell *cell;
    bool saved;

    if (is_old(reading))
        return take_2(reading, index, figures, error);
    cell = record_at(reading, MP_EXT_CELLS, index);
    saved = is_saved(reading, cell);
    *figures = (struct mp_live_figures){
        .key = mp_live_key(reading, index), .allocs = cell->allocs, .frees = cell->frees,
        .temporary = cell->temporary,
        .peak_blocks = saved ? cell->saved : (int64_t)cell->allocs - cell->frees};
    if (!figures->key.uniform)
        return take_mixed(reading, index, cell, saved, figures, error);
    take_uniform(reading, cell, saved, figures);
    return true;
}
