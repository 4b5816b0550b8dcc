/* SPDX-License-Identifier: MIT */
/*
 * counter.h -- counts blocks in cells and bins, and maintains the peak.
 *
 * The peak is raised lazily, so that each change costs constant time. A maximum of the total is complete only
 * when the total falls. So only a free checks whether the total exceeds the last peak. If it does, the total is
 * the new peak, and the epoch is raised. A cell saves its live bytes and blocks before its first change in an
 * epoch. At the end, its share of the peak is what it saved last or, if it has not changed since the peak, what
 * it has.
 *
 * The total is batched, like the kernel's percpu_counter. A recorder accumulates its changes as *pending* bytes.
 * It *commits* them to the common total (header.live_bytes) when they exceed its *batch*.
 *   - The *sole* recorder, the only one with a thread, commits when the total leaves the interval of the trace
 *     (trace.h), or when a free finds more pending bytes than are missing to the peak (to_peak). Only a commit of
 *     the second kind raises the peak. So the peak is exact, and no epoch begins while the total grows.
 *   - If there are several recorders, each has a batch that grows with the peak. All batches together are a
 *     small part of the peak, but each is at least MP_BATCH_MIN, so that threads with few live bytes do not
 *     compete for the total at every allocation. The error of the peak is at most the sum of the batches;
 *     header.peak_slack is the maximum of that sum.
 *   - When a second thread begins, the first one behaves as the sole one until it notices the gate's new
 *     generation. Until then the others add the pending bytes of this *former sole* recorder whenever they
 *     commit.
 */
#ifndef MP_COUNTER_H
#define MP_COUNTER_H

#include "counter_cell.h"

#define MP_BATCH_MIN  256               /* bytes, as MP_BATCH_MAX */
#define MP_BATCH_MAX  16384
#define MP_BATCH_PART 256               /* all batches together are at most 1/MP_BATCH_PART of the peak, unless
                                           MP_BATCH_MIN is more */
#define MP_BATCH_OF_STEP 16             /* a batch is at most 1/MP_BATCH_OF_STEP of the step of mprof_set_callback() */

/* Slow paths. mp_counter_commit() adds the pending bytes to the total and raises the peak. mp_counter_leave()
 * does so when pending bytes have left the range from `low` to `batch`. */
void mp_counter_alloc_mixed(struct mp_recorder *recorder, struct mp_live_cell *cell, size_t size);
void mp_counter_free_mixed(struct mp_recorder *recorder, struct mp_live_cell *cell, size_t size);
void mp_counter_commit(struct mp_recorder *recorder);
void mp_counter_leave(struct mp_recorder *recorder);

/* Commits, and adds a point to the trace if RECORDER is the sole one. */
void mp_counter_look(struct mp_recorder *recorder);

/* Interval of live bytes. Outside of it, the program's function is called. Written by session/callback.c. */
struct mp_counter_watch {
    int64_t low, high;
    int64_t step;               /* bytes; change between two calls */
    bool on;
};
extern MP_HIDDEN struct mp_counter_watch mp_counter_watch;

/* Returns the epoch of the next peak after EPOCH. */
MP_INLINE uint64_t
mp_counter_next_epoch(uint64_t epoch)
{
    const uint64_t next = epoch + MP_EPOCH_PEAK;

    return next + ((uint32_t)next < MP_EPOCH_PEAK ? MP_EPOCH_PEAK : 0);
}

/* Raises the epoch when the peak has changed. */
void mp_counter_raise_epoch(struct mp_live_header *header);

/* Notes that a file begins and that there is no sole recorder yet. Lock held. */
void mp_counter_reset(void);

/* Makes RECORDER the sole one, or one of several. Called by its own thread when it notices the gate's new
 * generation. Lock held. */
void mp_counter_set_sole(struct mp_recorder *recorder, bool sole);

/* Notes that a second thread begins. The sole recorder becomes the former sole one, until its own thread notices.
 * Lock held. */
void mp_counter_end_sole(void);

/* Recomputes the total from the cells. Called when a handler has jumped out of the monitor, perhaps after a cell
 * and before the total was changed. RECORDER is the sole one. Lock held. */
void mp_counter_recount(struct mp_recorder *recorder);

/* Returns the number and bytes of blocks and objects that RECORDER has allocated in this session, or all
 * recorders if RECORDER is NULL. Computes the sums over the cells. Lock held. */
struct mp_allocated mp_counter_allocated(const struct mp_recorder *recorder);

/* Returns the number of live blocks and objects. It is a sum over the cells of all recorders, because threads
 * count the frees of each other's blocks in cells of their own. Lock held. */
int64_t mp_counter_live_blocks(void);

/* Add SIZE to the live bytes, or subtract it. Only the recorder's thread writes pending_bytes, because a signal
 * handler that interrupts it uses another recorder. */
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
mp_counter_shrink(struct mp_recorder *recorder, size_t size)
{
    int64_t *pending = &recorder->live->pending_bytes;
    const int64_t bytes = *pending - (int64_t)size;

    __atomic_store_n(pending, bytes, __ATOMIC_RELAXED);
    if (MP_UNLIKELY(bytes < recorder->low))
        mp_counter_leave(recorder);
}

/* Adds a block of SIZE bytes to MIXED, which has the figures of CELL, and to the bins of the recorder LIVE. The block
 * has not been counted in CELL yet. Records the maximum of what CELL holds, and whether the block is larger than the
 * one before. Uniform cells have neither, because counting these would make the most common path longer. */
MP_INLINE void
mp_counter_note_alloc(struct mp_live_recorder *live, const struct mp_live_cell *cell, struct mp_live_mixed *mixed,
                      size_t size)
{
    const uint32_t size32 = MP_LIKELY(size < UINT32_MAX) ? (uint32_t)size : UINT32_MAX;
    int64_t bytes;
    int32_t blocks;

    mp_counter_mixed_grow(mixed, size);
    mixed->larger += mixed->last < size32;
    mixed->last = size32;
    bytes = (int64_t)(mixed->bytes - mixed->freed);
    blocks = (int32_t)(cell->allocs - cell->frees);
    if (MP_UNLIKELY(bytes > (int64_t)mixed->most_bytes))
        mixed->most_bytes = (uint64_t)bytes;
    if (MP_UNLIKELY(blocks >= (int32_t)mixed->most_blocks))
        mixed->most_blocks = (uint32_t)blocks + 1;
    mp_add(&live->bins[MP_LIKELY(size < MP_BIN_LARGE) ? size : MP_BIN_LARGE].allocs, 1);
    if (MP_UNLIKELY(size >= MP_BIN_LARGE))
        mp_add(&live->large_bytes, size);
}

/* Adds the free of a block of SIZE bytes to MIXED and to the bins of the recorder LIVE. */
MP_INLINE void
mp_counter_note_free(struct mp_live_recorder *live, struct mp_live_mixed *mixed, size_t size)
{
    mp_add(&mixed->freed, size);
    mp_add(&live->bins[MP_LIKELY(size < MP_BIN_LARGE) ? size : MP_BIN_LARGE].frees, 1);
    if (MP_UNLIKELY(size >= MP_BIN_LARGE))
        mp_add(&live->large_freed, size);
}

/* Counts a block of SIZE bytes in cell ID, which belongs to RECORDER and fits. */
MP_INLINE void
mp_counter_alloc(struct mp_recorder *recorder, uint32_t id, size_t size)
{
    struct mp_live_cell *cell = &mp_store.cells[id];

    mp_counter_touch(recorder, cell);
    if (MP_UNLIKELY(mp_counter_is_mixed(cell)))
        mp_counter_alloc_mixed(recorder, cell, size);
    mp_add_32(&cell->allocs, 1);
    mp_counter_grow(recorder, size);
}

/* Counts the free of a block in cell ID, without its bytes. LAST is true if the block has the address of the
 * thread's last allocation; the block is then temporary unless another recorder counted it. Returns the cell that
 * counts the free. */
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

/* Counts the free of a block of SIZE bytes, with its bytes. */
MP_INLINE void
mp_counter_free(struct mp_recorder *recorder, uint32_t id, size_t size, bool last)
{
    struct mp_live_cell *cell = mp_counter_free_block(recorder, id, last);

    if (MP_UNLIKELY(mp_counter_is_mixed(cell)))
        mp_counter_free_mixed(recorder, cell, size);
    mp_counter_shrink(recorder, size);
}

#endif
