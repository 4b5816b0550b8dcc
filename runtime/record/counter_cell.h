/*
 * counter_cell.h -- the cells of a recorder: found, made, and saved when they change after a peak.
 *
 * The first MP_CELL_SIZES sizes of a context and kind have a uniform cell each, all others share a mixed one.
 * Most contexts allocate blocks of one size, so that most cells are uniform: an event changes one line of
 * 32 bytes, in one go, and bins are known from the cells.  With three sizes 3 % of contexts have a mixed cell
 * in cc1 and 5 % in python, with 3 % and 9 % of all allocations.
 *
 * A context is linked to its newest cell (cct_slots.h), which for most is the only one; the others are found
 * by a hash table of their ids (cell_table.h).  Callers that keep the last cell of a chain ask
 * mp_counter_cell_fits(), and seldom search.
 *
 * The stamp of a cell has room for the low half of an epoch.  The high half is its recorder's *era*.  Who
 * meets an epoch of another era first takes the stamps off all cells of the recorder, and then enters the
 * era: no stamp is ever taken for that of another era, however long a thread slept.  What a stamp says of
 * checkpoints (former.h) is true in all eras, and stays.
 */
#ifndef MP_COUNTER_CELL_H
#define MP_COUNTER_CELL_H

#include <stdbool.h>
#include <stddef.h>

#include "cct_slots.h"
#include "recorder.h"
#include "runtime/sizeclass.h"
#include "runtime/store/store.h"

/* In the place of a size: the cell is to be mixed, as it is for sizes from here on. */
#define MP_COUNTER_ANY_SIZE ((size_t)UINT32_MAX)

/* Cold parts. */
uint32_t mp_counter_foreign_cell(struct mp_recorder *recorder, uint32_t cell);
void mp_counter_save(struct mp_recorder *recorder, struct mp_live_cell *cell);

uint32_t mp_counter_find_cell(struct mp_recorder *recorder, uint32_t context, unsigned kind,
                              size_t size);

/* A cell of the recorder's own that counts the same as cell LIKE, but which mp_counter_cell() does not find;
 * 0: no space.  Lock held. */
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

/* Are blocks of SIZE bytes counted in MIXED, and not in a cell of their own? */
MP_INLINE bool
mp_counter_mixed_fits(const struct mp_live_mixed *mixed, size_t size)
{
    bool other = true;

    for (unsigned i = 0; i < MP_CELL_SIZES; i++)
        other &= mixed->uniform[i] != size;
    return other;
}

/* No more is to be counted in CELL, lest a counter wraps. */
MP_INLINE bool
mp_counter_is_full(const struct mp_live_cell *cell)
{
    return ((cell->allocs | cell->slack) & MP_CELL_FULL) != 0;
}

/* Is CELL, of the recorder's own, what mp_counter_cell() gives for its context and KIND and SIZE? */
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

/* The cell for blocks of CONTEXT and KIND of SIZE bytes, if it is the newest of the context or was found
 * lately; 0: it is not, and was not. */
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

/* The recorder's cell for blocks of CONTEXT and KIND of SIZE bytes; 0: no space. */
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

/* Blocks, or objects, of which what belongs to them is no other: those allocated, and those that live. */
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

/* Of the blocks of a mixed cell one more has SIZE bytes. */
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

/* Was CELL, of RECORDER, saved since the last peak, and the last checkpoint? */
MP_INLINE bool
mp_counter_is_saved(const struct mp_recorder *recorder, const struct mp_live_cell *cell)
{
    return recorder->era + cell->stamp == recorder->header->epoch;
}

/* To be called before CELL, of RECORDER, changes. */
MP_INLINE void
mp_counter_touch(struct mp_recorder *recorder, struct mp_live_cell *cell)
{
    if (MP_UNLIKELY(!mp_counter_is_saved(recorder, cell)))
        mp_counter_save(recorder, cell);
}

#endif
