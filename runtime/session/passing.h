/*
 * passing.h -- fast paths of a sampled recording (record/sample.h) for allocations and frees that are not sampled.
 *
 * In a sampled recording, most allocations and frees are not sampled, so hooks call these functions first. Another
 * recording may begin at any time after a hook has checked mp_is_sampling(), but the hook need not check again. In
 * a complete recording these functions skip nothing, because its sampling distance is 0. In a sampled recording the
 * fast paths of a complete one (monitor_quick.h) leave all work to their slow paths, which check the recorder.
 */
#ifndef MP_PASSING_H
#define MP_PASSING_H

#include "activation.h"
#include "runtime/record/block_filter.h"
#include "runtime/record/sample.h"

MP_INLINE bool
mp_is_sampling(void)
{
    return !mp_is_equal(&mp_sample_period, 0);
}

/* Counts an allocation of SIZE bytes if it is not sampled. Returns true if so, and then nothing else is to be done.
 * HERE is an address near the hook's frame. */
MP_INLINE bool
mp_alloc_passes(size_t size, const void *here)
{
    struct mp_thread *self = &mp_thread;
    struct mp_recorder *recorder;
    struct mp_live_recorder *live;
    bool passes;

    if (MP_UNLIKELY(size - 1 >= MP_BIN_LARGE - 1) || MP_UNLIKELY(!mp_enter_quickly(self, here)))
        return false;
    recorder = self->recorder;
    live = recorder->live;
    passes = MP_LIKELY(mp_is_equal(&live->pending_work, 0)) &&
             mp_sample_passes_small(recorder, live, size);
    mp_leave_quickly(self);
    return passes;
}

/* Returns whether BLOCK has no record. Then nothing is to be done when it is freed. */
MP_INLINE bool
mp_free_passes(const void *block)
{
    return mp_filter_excludes(block);
}

/* Makes mp_free_passes() return false for BLOCK from now on. */
MP_INLINE void
mp_free_never_passes(const void *block)
{
    mp_filter_keep(block);
}

#endif
