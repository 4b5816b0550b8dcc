/* SPDX-License-Identifier: MIT */
/*
 * sample.h -- counts all allocations of a sampled recording (mprof run --sample), and chooses those that are
 * recorded with their chains.
 *
 * Every allocation is counted in the bins of its recorder, and every object of a language by its built-in kind. So the
 * number and bytes of all allocations are exact, and so are the figures of each thread, of each exact size and of each
 * built-in kind. Only sampled blocks (sample_rate.h) have a chain,
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
#include "runtime/sizeclass.h"

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

/* Draws the distance from a sample to the next one. */
void mp_sample_draw(struct mp_recorder *recorder);

/* Counts a sampled allocation in the bins and draws the distance to the next sample. */
void mp_sample_take(struct mp_recorder *recorder, size_t size);

/* Returns the place that counts the objects of KIND, a kind of a language, with all classes that belong to it. Any KIND
 * from MP_KIND_CLASS on is that of blocks that belong to objects. */
MP_INLINE struct mp_live_objects *
mp_sample_objects(struct mp_live_recorder *live, unsigned kind)
{
    return &live->objects[MP_LIKELY(kind - MP_KIND_LISP < MP_OBJECT_TYPES) ? kind - MP_KIND_LISP : 0];
}

/* Counts an object of SIZE bytes and KIND in a sampled recording. */
MP_INLINE void
mp_sample_count_object(struct mp_live_recorder *live, size_t size, unsigned kind)
{
    struct mp_live_objects *objects = mp_sample_objects(live, kind);

    mp_add(&objects->allocs, 1);
    mp_add(&objects->bytes, size);
}

/* Returns the bytes that N objects of SIZE bytes in CELL add to the estimate of live bytes. BYTES is their sum. */
uint64_t mp_sample_bytes(uint32_t period, const struct mp_live_cell *cell, uint64_t n, uint64_t bytes);

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

#endif
