/* SPDX-License-Identifier: MIT */
/*
 * sample.h -- counts all allocations of a sampled recording (mprof run --sample), and chooses those that are
 * recorded with their chains.
 *
 * Every allocation is counted in the bins of its recorder. So the number and bytes of all allocations are exact,
 * and so are the figures of each thread and of each exact size. Only sampled blocks (sample_rate.h) have a chain,
 * a cell and a record in the block table. So chains, live blocks, frees and the peak are figures of the samples,
 * and readers scale them. Cells of samples are uniform (counter_cell.h), so that the reader knows the probability
 * with which each block was sampled; blocks of 4 GiB and more are always sampled. Blocks that are not sampled
 * have no record, so their frees find none.
 *
 * Live bytes, and so the peak, are sums of mp_sample_weight(): estimates of the live bytes.
 *
 * A recorder has the sampling period of its recording, 0 if all allocations are recorded.
 */
#ifndef MP_SAMPLE_H
#define MP_SAMPLE_H

#include "counter.h"
#include "recorder.h"

/* Sampling period of the present recording in bytes, 0 if it is complete. Read by hooks that have no recorder
 * yet. Written under the lock. */
extern MP_HIDDEN uint32_t mp_sample_period;

/* Prepares for a recording that begins. PERIOD is its sampling period, or 0 if it is not sampled. The random
 * numbers come from the kernel or, for tests, from SEED if that is not 0. Lock held. */
void mp_sample_begin(uint32_t period, uint32_t seed);

/* Prepares RECORDER, which was taken for a thread. Lock held. */
void mp_sample_recorder(struct mp_recorder *recorder);

/* Counts an allocation of SIZE bytes in the bins of a sampled recording. */
MP_INLINE void
mp_sample_count(struct mp_live_recorder *live, size_t size)
{
    mp_add(&live->bins[MP_LIKELY(size < MP_BIN_LARGE) ? size : MP_BIN_LARGE].allocs, 1);
    if (MP_UNLIKELY(size >= MP_BIN_LARGE))
        mp_add(&live->large_bytes, size);
}

/* Decides whether an allocation of SIZE bytes in a sampled recording is a sample. If not, counts it and returns
 * true, and nothing else is to be done. */
MP_INLINE bool
mp_sample_passes(struct mp_recorder *recorder, size_t size)
{
    int64_t s = (int64_t)(size + (size == 0));

    if (MP_UNLIKELY(recorder->sample_left < s))
        return false;
    recorder->sample_left -= s;
    mp_sample_count(recorder->live, size);
    return true;
}

/* Does the same in any recording, for a SIZE from 1 to 2 GiB, but leaves the count to the caller. Always returns false
 * in a complete recording. */
MP_INLINE bool
mp_sample_passes_quickly(struct mp_recorder *recorder, size_t size)
{
    if (MP_LIKELY(!mp_subtract(&recorder->sample_left, (int64_t)size)))
        return true;
    mp_subtract(&recorder->sample_left, -(int64_t)size);
    return false;
}

/* Counts a sampled allocation in the bins and draws the distance to the next sample. */
void mp_sample_take(struct mp_recorder *recorder, size_t size);

/* Do what mp_counter_alloc() and mp_counter_free() do, for a sampled block. LAST is true if the block was the
 * thread's last sample. */
void mp_sample_alloc(struct mp_recorder *recorder, uint32_t cell, size_t size);
void mp_sample_free(struct mp_recorder *recorder, uint32_t cell, size_t size, bool last);

/* Count an allocation and a free in CELL, in a recording that is sampled or not. */
MP_INLINE void
mp_count_alloc(struct mp_recorder *recorder, uint32_t cell, size_t size, bool sampled)
{
    if (sampled)
        mp_sample_alloc(recorder, cell, size);
    else
        mp_counter_alloc(recorder, cell, size);
}

MP_INLINE void
mp_count_free(struct mp_recorder *recorder, uint32_t cell, size_t size, bool last, bool sampled)
{
    if (sampled)
        mp_sample_free(recorder, cell, size, last);
    else
        mp_counter_free(recorder, cell, size, last);
}

/* Do what mp_counter_recount() and mp_counter_live_blocks() do, in a sampled recording. The results are
 * estimates. Lock held. */
void mp_sample_recount(struct mp_recorder *recorder);
int64_t mp_sample_live_blocks(void);

/* Does what mp_counter_allocated() does, in a sampled recording. The result is exact. Lock held. */
struct mp_allocated mp_sample_allocated(const struct mp_recorder *recorder);

#endif
