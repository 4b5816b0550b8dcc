/*
 * passing.h -- in a sampled recording (record/sample.h): the allocations and frees that are passed over.
 *
 * Nearly all are, so the hooks ask here first.  Where all is recorded the answer is no.  Nothing is half
 * done here that a signal handler could meet, so the thread need not be busy.
 */
#ifndef MP_PASSING_H
#define MP_PASSING_H

#include "activation.h"
#include "runtime/record/block_table.h"
#include "runtime/record/sample.h"

/* Who finds that it is not, and is let in after that, is in a recording of all: whoever begins another one
 * says so here before the gate's generation is raised. */
MP_INLINE bool
mp_is_sampling(void)
{
    return __atomic_load_n(&mp_sample_period, __ATOMIC_RELAXED) != 0;
}

/* These two while mp_is_sampling().  Is an allocation of SIZE bytes not sampled?  Then it is counted, and that
 * is all. */
MP_INLINE bool
mp_alloc_passes(size_t size)
{
    const struct mp_thread *self = &mp_thread;

    return self->busy == 0 &&
           self->generation == __atomic_load_n(&mp_gate->generation, __ATOMIC_ACQUIRE) &&
           !mp_recorder_pending_work(self->recorder) && mp_sample_passes(self->recorder, size);
}

/* Has BLOCK no record, so that nothing is to be done when it is freed? */
MP_INLINE bool
mp_free_passes(const void *block)
{
    return mp_block_is_absent(block);
}

#endif
