/*
 * counter.h -- blocks are counted: in cells, in bins, and for the peak.
 *
 * The peak is raised lazily, at O(1) a change: the total only reaches a new highest value just before it
 * falls, so a free looks whether the total stands above the last peak; if so, this is the new peak and the
 * epoch is raised.  A cell saves its live bytes and blocks at its first change in an epoch: at the end its
 * share of the peak is what it saved, or, if it did not change since, what it has.
 *
 * The total is batched, as the kernel's percpu_counter is.  A recorder keeps its changes to itself, its
 * *pending* bytes, and *commits* them, adds them to the total that all share (header.live_bytes), when they
 * are more than its *batch*.
 *   - The *sole* recorder, the only one that has a thread, commits when the total leaves the interval of the
 *     trace (trace.h), or when a free finds more pending than is lacking to the peak (to_peak).  The peak is
 *     raised only in the latter case; so it is exact, and no epoch passes while the total grows.
 *   - Of several each has a batch that grows with the peak: all together are a small part of it, but for
 *     MP_BATCH_MIN each, so that threads which hold next to nothing do not meet at the total with each
 *     allocation.  The peak is known to within the sum of the batches, of which header.peak_slack keeps the
 *     largest.
 *   - When a second thread comes, the first goes on as the sole one until it looks up at the gate.  Until
 *     then the others add the pending bytes of this *former sole* recorder whenever they commit.
 */
#ifndef MP_COUNTER_H
#define MP_COUNTER_H

#include "counter_cell.h"

#define MP_BATCH_MIN  256               /* bytes */
#define MP_BATCH_MAX  16384
#define MP_BATCH_PART 256               /* all batches together are this part of the peak, if they can */

/* Cold parts. */
void mp_counter_alloc_mixed(struct mp_recorder *recorder, struct mp_live_cell *cell, size_t size);
void mp_counter_free_mixed(struct mp_recorder *recorder, struct mp_live_cell *cell, size_t size);
void mp_counter_commit(struct mp_recorder *recorder);
void mp_counter_leave(struct mp_recorder *recorder);

/* The program wants to know when the live bytes leave [low, high]: session/callback.h, which writes this. */
struct mp_counter_watch {
    int64_t low, high;
    bool on;
};
extern MP_HIDDEN struct mp_counter_watch mp_counter_watch;

/* As mp_counter_free(), of a recorder whose floor keeps others off the short way only. */
void mp_counter_free_timed(struct mp_recorder *recorder, uint32_t id, size_t size, bool last);

/* The epoch of the peak after that of EPOCH. */
MP_INLINE uint64_t
mp_counter_next_epoch(uint64_t epoch)
{
    const uint64_t next = epoch + MP_EPOCH_PEAK;

    return next + ((uint32_t)next < MP_EPOCH_PEAK ? MP_EPOCH_PEAK : 0);
}

/* The peak has another height. */
void mp_counter_raise_epoch(struct mp_live_header *header);

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

/* What RECORDER has allocated in this session, blocks and objects: the sum of its cells; NULL: of all cells. */
struct mp_allocated mp_counter_allocated(const struct mp_recorder *recorder);

/* Blocks and objects that live.  Threads count frees of each other's blocks in cells of their own, so that it is
 * the sum which is right. */
int64_t mp_counter_live_blocks(void);

/* SIZE more bytes are live, or less.  Nobody but the recorder's thread writes what is pending: a handler
 * that interrupts it here has another recorder. */
MP_INLINE void
mp_counter_grow(struct mp_recorder *recorder, size_t size)
{
    int64_t *pending = &recorder->live->pending_bytes;
    const int64_t bytes = *pending + (int64_t)size;

    __atomic_store_n(pending, bytes, __ATOMIC_RELAXED);
    if (MP_UNLIKELY(bytes > recorder->batch))
        mp_counter_leave(recorder);
}

MP_INLINE void
mp_counter_shrink_to(struct mp_recorder *recorder, size_t size, int64_t floor)
{
    int64_t *pending = &recorder->live->pending_bytes;
    const int64_t bytes = *pending - (int64_t)size;

    __atomic_store_n(pending, bytes, __ATOMIC_RELAXED);
    if (MP_UNLIKELY(bytes < floor))
        mp_counter_leave(recorder);
}

MP_INLINE void
mp_counter_shrink(struct mp_recorder *recorder, size_t size)
{
    mp_counter_shrink_to(recorder, size, recorder->floor);
}

/* Count a block of SIZE bytes in cell ID, of this recorder, which fits. */
MP_INLINE void
mp_counter_alloc(struct mp_recorder *recorder, uint32_t id, size_t size)
{
    struct mp_live_cell *cell = &mp_store.cells[id];

    mp_counter_touch(recorder, cell);
    mp_add_32(&cell->allocs, 1);
    if (MP_UNLIKELY(mp_counter_is_mixed(cell)))
        mp_counter_alloc_mixed(recorder, cell, size);
    mp_counter_grow(recorder, size);
}

/* Count that a block counted in cell ID was freed, but not its bytes; LAST: at the address of the thread's
 * last allocation, so that it is temporary unless it is another thread's.  The cell that counts it. */
MP_INLINE struct mp_live_cell *
mp_counter_free_block(struct mp_recorder *recorder, uint32_t id, bool last)
{
    struct mp_live_cell *cell = &mp_store.cells[id];

    if (MP_UNLIKELY(cell->recorder != recorder->id)) {
        cell = &mp_store.cells[mp_counter_foreign_cell(recorder, id)];
        last = false;
    }
    if (MP_UNLIKELY(recorder->live->pending_bytes > recorder->to_peak))
        mp_counter_commit(recorder);
    mp_counter_touch(recorder, cell);
    mp_add_32(&cell->frees, 1);
    if (last)
        mp_add_32(&cell->temporary, 1);
    return cell;
}

/* The same, of a block of SIZE bytes, with them. */
MP_INLINE void
mp_counter_free(struct mp_recorder *recorder, uint32_t id, size_t size, bool last)
{
    struct mp_live_cell *cell = mp_counter_free_block(recorder, id, last);

    if (MP_UNLIKELY(mp_counter_is_mixed(cell)))
        mp_counter_free_mixed(recorder, cell, size);
    mp_counter_shrink(recorder, size);
}

#endif
