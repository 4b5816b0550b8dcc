/*
 * passing.h -- in a sampled recording (record/sample.h): the allocations and frees that are passed over.
 *
 * Nearly all are, so the hooks ask here first.  Which recording it is may change at any moment after that,
 * and it need not be asked again: what is here passes nothing over in a recording of all, where samples are
 * no byte apart, and the short ways of such a recording (monitor_quick.h) leave all that they meet in a
 * sampled one to the functions behind them, which ask the recorder.
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

/* An allocation of SIZE bytes: was it counted because it is not sampled, so that nothing else is to be
 * done?  The hook's frame is around the address HERE. */
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

/* Has BLOCK no record, so that nothing is to be done when it is freed? */
MP_INLINE bool
mp_free_passes(const void *block)
{
    return mp_filter_excludes(block);
}

/* From now on the answer is no for BLOCK. */
MP_INLINE void
mp_free_never_passes(const void *block)
{
    mp_filter_keep(block);
}

#endif
