/* api.c -- mprof.h: the functions for the profiled program. */
#define MPROF_WEAK __attribute__((visibility("default")))
#include "mprof.h"

#include <errno.h>

#include "chain.h"
#include "counter.h"
#include "pool.h"
#include "session.h"
#include "sizeclass.h"

void
mprof_stop(void)
{
    mp_session_stop();
}

int
mprof_restart(const char *filename)
{
    return -mp_session_restart(filename);
}

void
set_mprof_autosave(unsigned long count)
{
    mp_session_autosave(count);
}

int
mprof_is_active(void)
{
    return mp_session_records();
}

size_t
mprof_current(void)
{
    return (size_t)mp_session_current();
}

size_t
mprof_peak(void)
{
    return (size_t)mp_session_peak();
}

uint64_t
mprof_total(void)
{
    return mp_session_total();
}

void
mprof_reset_peak(void)
{
    mp_session_reset_peak();
}

static void
miss(struct mp_recorder *recorder, enum mp_missing why)
{
    __atomic_add_fetch(&recorder->header->missing[why], 1, __ATOMIC_RELAXED);
}

MP_NOINLINE void
mprof_record_alloc(const void *pool, const void *address, size_t size)
{
    const void *frame = __builtin_frame_address(0);
    struct mp_recorder *recorder = mp_enter(&mp_thread, frame);
    struct mp_pool_object object = { pool, address, size, 0 };
    uint32_t context;

    if (!recorder)
        return;
    context = mp_chain_capture(recorder, frame);
    if (context)
        object.cell = mp_counter_cell(recorder, context, mp_sizeclass(size));
    if (object.cell && mp_pool_put(&object))
        mp_counter_alloc(recorder, object.cell, size);
    else
        miss(recorder, MP_MISS_DROPPED);
    mp_leave(&mp_thread, recorder);
}

MP_NOINLINE void
mprof_record_free(const void *pool, const void *address)
{
    struct mp_recorder *recorder = mp_enter(&mp_thread, __builtin_frame_address(0));
    struct mp_pool_object object;

    if (!recorder)
        return;
    if (!mp_pool_take(pool, address, &object) || object.cell < mp_store.first_cell) {
        if (address)
            miss(recorder, MP_MISS_UNKNOWN_FREE);
    } else {
        do
            mp_counter_free(recorder, object.cell, object.size, false);
        while (!address && mp_pool_take(pool, NULL, &object) &&
               object.cell >= mp_store.first_cell);
    }
    mp_leave(&mp_thread, recorder);
}
