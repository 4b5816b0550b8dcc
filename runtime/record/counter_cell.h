/* SPDX-License-Identifier: MIT */
/*
 * counter_cell.h -- finds and creates the cells of a recorder, and saves their counters when they change after a
 * peak.
 *
 * The first MP_CELL_SIZES sizes of a context and kind have a uniform cell each. All other sizes share a mixed
 * cell. Most contexts allocate blocks of one size, so most cells are uniform. An event in a uniform cell changes
 * only its 32 bytes, and the reader computes the bins from these cells. With three sizes, 3 % of contexts have a
 * mixed cell in cc1 and 5 % in python, with 3 % and 9 % of all allocations.
 *
 * A context is linked to its newest cell (cct_slots.h), which usually is its only one. The others are in a hash
 * table (id_table.h). Callers that remember the last cell of a chain call mp_counter_cell_fits() and rarely
 * search.
 *
 * The stamp of a cell is the low half of an epoch; the high half is its recorder's *era*. When the era changes,
 * the recorder first clears the stamps of all its cells and then enters the new era. So a stamp of one era is
 * never mistaken for a stamp of another era, however long a thread has slept. The checkpoint part of a stamp
 * (saved counters, former.h) is valid in all eras and is kept.
 */
#ifndef MP_COUNTER_CELL_H
#define MP_COUNTER_CELL_H

#include <stdbool.h>
#include <stddef.h>

#include "cct_slots.h"
#include "recorder.h"
#include "runtime/sizeclass.h"
#include "runtime/store/store.h"

/* Size that requests a mixed cell. Blocks of this size and more are counted in mixed cells, too. */
#define MP_COUNTER_ANY_SIZE ((size_t)UINT32_MAX)

/* Slow paths. mp_counter_foreign_cell() returns RECORDER's own cell for frees of blocks that CELL, of another
 * recorder, counts. mp_counter_save() saves CELL before it changes. mp_counter_find_cell() does what
 * mp_counter_cell() does. */
uint32_t mp_counter_foreign_cell(struct mp_recorder *recorder, uint32_t cell);
void mp_counter_save(struct mp_recorder *recorder, struct mp_live_cell *cell);

uint32_t mp_counter_find_cell(struct mp_recorder *recorder, uint32_t context, unsigned kind,
                              size_t size);

/* Creates a cell of RECORDER for the same context, kind and size as cell LIKE. mp_counter_cell() never returns
 * the new cell. Returns 0 if there is no space. Lock held. */
uint32_t mp_counter_unlisted_cell(struct mp_recorder *recorder, uint32_t like);

MP_INLINE bool
mp_counter_is_mixed(const struct mp_live_cell *cell)
{
    return (cell->kind & MP_CELL_MIXED) != 0;
}

MP_INLINE struct mp_live_mixed *
mp_counter_mixed(const struct mp_live_cell *cell)
{
    return &mp_store.mixed[cell->size];
}

/* Returns whether MIXED counts blocks of SIZE bytes, because they have no uniform cell. */
MP_INLINE bool
mp_counter_mixed_fits(const struct mp_live_mixed *mixed, size_t size)
{
    const uint32_t size32 = MP_LIKELY(size < UINT32_MAX) ? (uint32_t)size : UINT32_MAX;

    for (unsigned i = 0; i < MP_CELL_SIZES; i++)
        if (MP_UNLIKELY(mixed->uniform[i] == size32))
            return false;
    return true;
}

/* Returns whether CELL must not count more, because a counter could wrap. */
MP_INLINE bool
mp_counter_is_full(const struct mp_live_cell *cell)
{
    return ((cell->allocs | cell->slack) & MP_CELL_FULL) != 0;
}

/* Returns whether mp_counter_cell() may return CELL, of the same recorder and context, for KIND and SIZE. */
MP_INLINE bool
mp_counter_cell_fits(const struct mp_live_cell *cell, unsigned kind, size_t size)
{
    if (MP_UNLIKELY(mp_counter_is_full(cell)))
        return false;
    if (MP_LIKELY(cell->kind == kind))
        return cell->size == size;
    return cell->kind == (kind | MP_CELL_MIXED) && mp_counter_mixed_fits(mp_counter_mixed(cell), size);
}

MP_INLINE uint32_t *
mp_counter_recent_place(struct mp_recorder *recorder, uint32_t context, unsigned kind, size_t size)
{
    return &recorder->recent_cells[(context ^ size / 8 ^ kind) % MP_RECENT_CELLS];
}

/* Returns the cell for blocks of CONTEXT and KIND of SIZE bytes if it is the newest of the context or in the
 * cache, otherwise 0. */
MP_INLINE uint32_t
mp_counter_recent_cell(struct mp_recorder *recorder, uint32_t context, unsigned kind, size_t size)
{
    uint32_t id = mp_cct_cell(context);
    const struct mp_live_cell *cell = &mp_store.cells[id];

    if (MP_LIKELY(id && mp_counter_cell_fits(cell, kind, size)))
        return id;
    id = *mp_counter_recent_place(recorder, context, kind, size);
    cell = &mp_store.cells[id];
    return MP_LIKELY(cell->context == context && mp_counter_cell_fits(cell, kind, size)) ? id : 0;
}

/* Returns the recorder's cell for blocks of CONTEXT and KIND of SIZE bytes, and creates it if necessary. Returns
 * 0 if there is no space. */
MP_INLINE uint32_t
mp_counter_cell(struct mp_recorder *recorder, uint32_t context, unsigned kind, size_t size)
{
    const uint32_t id = mp_counter_recent_cell(recorder, context, kind, size);

    return MP_LIKELY(id) ? id : mp_counter_find_cell(recorder, context, kind, size);
}

MP_INLINE uint64_t
mp_counter_bytes(const struct mp_live_cell *cell)
{
    return mp_counter_is_mixed(cell) ? mp_counter_mixed(cell)->bytes
                                     : (uint64_t)cell->allocs * cell->size;
}

MP_INLINE uint64_t
mp_counter_freed(const struct mp_live_cell *cell)
{
    return mp_counter_is_mixed(cell) ? mp_counter_mixed(cell)->freed
                                     : (uint64_t)cell->frees * cell->size;
}

/* Return the number of allocated blocks or objects, and of live ones. Blocks that belong to objects are not
 * counted. */
MP_INLINE uint32_t
mp_counter_blocks(const struct mp_live_cell *cell)
{
    return cell->kind & MP_KIND_PAYLOAD ? 0 : cell->allocs;
}

MP_INLINE int32_t
mp_counter_live(const struct mp_live_cell *cell)
{
    return cell->kind & MP_KIND_PAYLOAD ? 0 : (int32_t)(cell->allocs - cell->frees);
}

/* Adds a block of SIZE bytes to the figures of a mixed cell. */
MP_INLINE void
mp_counter_mixed_grow(struct mp_live_mixed *mixed, size_t size)
{
    const uint32_t size32 = MP_LIKELY(size < UINT32_MAX) ? (uint32_t)size : UINT32_MAX;

    mp_add(&mixed->bytes, size);
    if (MP_UNLIKELY(size32 < mixed->size_min))
        mixed->size_min = size32;
    if (MP_UNLIKELY(size32 > mixed->size_max))
        mixed->size_max = size32;
}

/* Returns whether CELL, of RECORDER, has been saved since the last peak and the last checkpoint. */
MP_INLINE bool
mp_counter_is_saved(const struct mp_recorder *recorder, const struct mp_live_cell *cell)
{
    return recorder->era + cell->stamp == recorder->header->epoch;
}

/* Saves CELL, of RECORDER, if necessary. Called before it changes. */
MP_INLINE void
mp_counter_touch(struct mp_recorder *recorder, struct mp_live_cell *cell)
{
    if (MP_UNLIKELY(!mp_counter_is_saved(recorder, cell)))
        mp_counter_save(recorder, cell);
}

#endif
