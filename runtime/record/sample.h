/*
 * sample.h -- a recording that samples (mprof run --sample): which allocations are recorded with their
 * chains, and how.
 *
 * Every allocation is counted in the bins of its recorder: number and bytes, in total, by exact size and
 * by thread, are exact.  Only blocks that are sampled (sample_rate.h) have a chain, a cell, and a place
 * in the object table; so chains, live blocks, frees and the peak are those of samples, and readers
 * scale them.  Cells of samples are uniform (counter_cell.h), so that the reader knows with which
 * probability each block was met: of blocks of 4 GiB all are.  A block that was not sampled leaves
 * nothing behind, and its free finds nothing.
 *
 * Live bytes, and with them the peak, are sums of mp_sample_weight(): estimates of what is live.
 *
 * The period of a recorder is that of its recording, 0 where all is recorded.
 */
#ifndef MP_SAMPLE_H
#define MP_SAMPLE_H

#include "counter.h"
#include "recorder.h"

/* That of the present recording, for hooks that have not looked for a recorder yet.  Written under the
 * lock. */
extern MP_HIDDEN uint32_t mp_sample_period;

/* A recording begins that samples with PERIOD, 0: not at all.  Its numbers come from the kernel, or, for
 * tests, from SEED, if that is not 0.  Lock held. */
void mp_sample_begin(uint32_t period, uint32_t seed);

/* RECORDER was taken for a thread.  Lock held. */
void mp_sample_recorder(struct mp_recorder *recorder);

/* Count an allocation of SIZE bytes in the bins of a sampled recording. */
MP_INLINE void
mp_sample_count(struct mp_recorder *recorder, size_t size)
{
    mp_add(&recorder->live->bins[MP_LIKELY(size < MP_BIN_LARGE) ? size : MP_BIN_LARGE].allocs, 1);
    if (MP_UNLIKELY(size >= MP_BIN_LARGE))
        mp_add(&recorder->live->large_bytes, size);
}

/* Is an allocation of SIZE bytes in a sampled recording not sampled?  Then it is counted, and all is done. */
MP_INLINE bool
mp_sample_passes(struct mp_recorder *recorder, size_t size)
{
    int64_t s = (int64_t)(size + (size == 0));

    if (MP_UNLIKELY(recorder->sample_left < s))
        return false;
    recorder->sample_left -= s;
    mp_sample_count(recorder, size);
    return true;
}

/* The same of a SIZE that has a bin of its own, and is not 0; in any recording.  LIVE: the recorder's. */
MP_INLINE bool
mp_sample_passes_small(struct mp_recorder *recorder, struct mp_live_recorder *live, size_t size)
{
    if (MP_UNLIKELY(mp_subtract(&recorder->sample_left, (int64_t)size))) {
        recorder->sample_left += (int64_t)size;
        return false;
    }
    mp_add(&live->bins[size].allocs, 1);
    return true;
}

/* It is sampled: count it in the bins, and draw the next one. */
void mp_sample_take(struct mp_recorder *recorder, size_t size);

/* As mp_counter_alloc() and mp_counter_free(), of a sampled block; LAST: of those that were sampled it was the
 * thread's last. */
void mp_sample_alloc(struct mp_recorder *recorder, uint32_t cell, size_t size);
void mp_sample_free(struct mp_recorder *recorder, uint32_t cell, size_t size, bool last);

/* As mp_counter_recount(), and mp_counter_live_blocks(), of a sampled recording: estimated. */
void mp_sample_recount(struct mp_recorder *recorder);
int64_t mp_sample_live_blocks(void);

/* As mp_counter_allocated(), exact. */
struct mp_allocated mp_sample_allocated(const struct mp_recorder *recorder);

#endif
