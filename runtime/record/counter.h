/*
 * counter.h -- cells, bins and the peak.
 *
 * The peak is raised lazily, at O(1) a change: the total only reaches a new highest value just before it
 * falls, so a free looks whether the total stands above the last peak; if so, this is the new peak and the
 * epoch is raised.  A cell saves its live bytes and blocks at its first change in an epoch: at the end its
 * share of the peak is what it saved, or, if it did not change since, what it has.
 *
 * The total is batched, as the kernel's percpu_counter is.  A recorder keeps its changes to itself, its
 * *pending* bytes, and *commits* them, adds them to the total that all share (header.live_bytes), when they
 * are more than its *batch*.
 *   - The *sole* recorder, the only one that has a thread, has a batch without end.  It knows by how much
 *     the shared total is below the peak (to_peak), and commits when a free finds more pending than that;
 *     so its peak is exact.
 *   - Of several each has a batch that grows with the peak: all together are a small part of it, but for
 *     MP_BATCH_MIN each, so that threads which hold next to nothing do not meet at the total with each
 *     allocation.  The peak is known to within the sum of the batches, of which header.peak_slack keeps the
 *     largest.
 *   - When a second thread comes, the first goes on as the sole one until it looks up at the gate.  Until
 *     then the others add the pending bytes of this *former sole* recorder whenever they commit.
 */
#ifndef MP_COUNTER_H
#define MP_COUNTER_H

#include "recorder.h"
#include "runtime/store/store.h"
#include "shadow.h"

#define MP_BATCH_MIN  256               /* bytes */
#define MP_BATCH_MAX  16384
#define MP_BATCH_PART 256               /* all batches together are this part of the peak, if they can */

/* Cold parts. */
uint32_t mp_counter_new_cell(struct mp_recorder *recorder, uint32_t context, unsigned kind,
                             uint32_t last);
uint32_t mp_counter_foreign_cell(struct mp_recorder *recorder, uint32_t cell);

/* A cell of the recorder's own that is in no context's list, so that mp_counter_cell() does not find it; 0:
 * no space.  Lock held. */
uint32_t mp_counter_unlisted_cell(struct mp_recorder *recorder, uint32_t context, unsigned kind);
void mp_counter_commit(struct mp_recorder *recorder);

/* A file begins: no recorder of it is, or was, the sole one.  Lock held. */
void mp_counter_reset(void);

/* By its own thread, which looks up at the gate: RECORDER is the sole one, or one of several.  Lock held. */
void mp_counter_set_sole(struct mp_recorder *recorder, bool sole);

/* A second thread comes: the sole recorder is the former sole one until its own thread looks up.  Lock
 * held. */
void mp_counter_end_sole(void);

/* A handler jumped out of the monitor, perhaps between a cell and the total: make the total what the
 * cells say.  RECORDER is the sole one; lock held. */
void mp_counter_recount(struct mp_recorder *recorder);

/* Bytes allocated in this session: the sum of all cells. */
uint64_t mp_counter_total(void);

/* The recorder's cell for CONTEXT and KIND, 0: no space. */
MP_INLINE uint32_t
mp_counter_cell(struct mp_recorder *recorder, uint32_t context, unsigned kind)
{
    uint32_t cell = mp_store.context_cells[context], last = 0;

    while (MP_LIKELY(cell)) {
        if (MP_LIKELY(mp_store.cells[cell].kind == kind))
            return cell;
        last = cell;
        cell = mp_store.tails[cell].next;
    }
    return mp_counter_new_cell(recorder, context, kind, last);
}

/* To be called before a cell changes. */
MP_INLINE void
mp_counter_touch(struct mp_live_cell *cell, uint32_t id, uint64_t epoch)
{
    struct mp_live_tail *tail;

    if (MP_LIKELY(cell->stamp == epoch))
        return;
    tail = &mp_store.tails[id];
    tail->saved_bytes = (int64_t)(cell->bytes - cell->freed);
    tail->saved_blocks = (int64_t)(cell->allocs - cell->frees);
    cell->stamp = epoch;
}

MP_INLINE struct mp_live_bin *
mp_counter_bin(struct mp_recorder *recorder, size_t size)
{
    return &recorder->live->bins[MP_LIKELY(size < MP_BIN_LARGE) ? size : MP_BIN_LARGE];
}

/* SIZE more bytes are live, or less. */
MP_INLINE void
mp_counter_grow(struct mp_recorder *recorder, size_t size)
{
    mp_add_signed(&recorder->live->pending_bytes, (int64_t)size);
    if (MP_UNLIKELY(recorder->live->pending_bytes > recorder->batch))
        mp_counter_commit(recorder);
}

MP_INLINE void
mp_counter_shrink(struct mp_recorder *recorder, size_t size)
{
    mp_add_signed(&recorder->live->pending_bytes, -(int64_t)size);
    if (MP_UNLIKELY(recorder->live->pending_bytes < -recorder->batch))
        mp_counter_commit(recorder);
}

/* Count a block of SIZE bytes in CELL (of this recorder). */
MP_INLINE void
mp_counter_alloc(struct mp_recorder *recorder, uint32_t id, size_t size)
{
    struct mp_live_recorder *live = recorder->live;
    struct mp_live_cell *cell = &mp_store.cells[id];
    uint32_t size32 = MP_LIKELY(size < UINT32_MAX) ? (uint32_t)size : UINT32_MAX;

    mp_counter_touch(cell, id, recorder->header->epoch);
    mp_add(&cell->allocs, 1);
    mp_add(&cell->bytes, size);
    if (MP_UNLIKELY(size32 < cell->size_min))
        cell->size_min = size32;
    if (MP_UNLIKELY(size32 > cell->size_max))
        cell->size_max = size32;
    mp_add(&mp_counter_bin(recorder, size)->allocs, 1);
    if (MP_UNLIKELY(size >= MP_BIN_LARGE))
        mp_add(&live->large_bytes, size);
    mp_counter_grow(recorder, size);
}

/* Count that a block of SIZE bytes, counted in cell ID, was freed; LAST: at the address of the
 * thread's last allocation, so that it is temporary unless it is another thread's. */
MP_INLINE void
mp_counter_free(struct mp_recorder *recorder, uint32_t id, size_t size, bool last)
{
    struct mp_live_recorder *live = recorder->live;
    struct mp_live_cell *cell = &mp_store.cells[id];

    if (MP_UNLIKELY(cell->recorder != recorder->id)) {
        id = mp_counter_foreign_cell(recorder, id);
        cell = &mp_store.cells[id];
        last = false;
    }
    if (MP_UNLIKELY(live->pending_bytes > recorder->to_peak))
        mp_counter_commit(recorder);
    mp_counter_touch(cell, id, recorder->header->epoch);
    mp_add(&cell->frees, 1);
    mp_add(&cell->freed, size);
    if (last)
        mp_add(&cell->temporary, 1);
    mp_add(&mp_counter_bin(recorder, size)->frees, 1);
    if (MP_UNLIKELY(size >= MP_BIN_LARGE))
        mp_add(&live->large_freed, size);
    mp_counter_shrink(recorder, size);
}

#endif
