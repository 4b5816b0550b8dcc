/* SPDX-License-Identifier: MIT */
/* api.c -- implements mprof.h, the functions for the profiled program, and those that programs call for heaptrack. */
#define MPROF_WEAK __attribute__((visibility("default")))
#include "mprof.h"

#include <errno.h>

#include "runtime/record/lifetime.h"
#include "runtime/record/pool.h"
#include "runtime/record/sample.h"
#include "runtime/session/activation.h"
#include "runtime/session/callback.h"
#include "runtime/session/session.h"
#include "runtime/session/session_checkpoint.h"
#include "runtime/unwind/chain.h"
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
    return mp_session_allocated(NULL).bytes;
}

size_t
mprof_current_blocks(void)
{
    return (size_t)mp_session_current_blocks();
}

uint64_t
mprof_total_blocks(void)
{
    return mp_session_allocated(NULL).blocks;
}

/* Returns the number and bytes of the calling thread's allocations. Gives the thread a recorder if it has none.
 * That recorder may have served another thread before. */
static struct mp_allocated
of_thread(const void *frame)
{
    struct mp_recorder *recorder = mp_enter(&mp_thread, frame);

    if (!recorder)
        return (struct mp_allocated){0, 0};
    if (recorder->lent) {       /* a lent recorder is not the thread's, and the next one may be different */
        mp_leave(&mp_thread, recorder);
        return (struct mp_allocated){0, 0};
    }
    mp_leave(&mp_thread, recorder);
    return mp_session_allocated(recorder);
}

MP_NOINLINE uint64_t
mprof_thread_total(void)
{
    return of_thread(__builtin_frame_address(0)).bytes;
}

MP_NOINLINE uint64_t
mprof_thread_total_blocks(void)
{
    return of_thread(__builtin_frame_address(0)).blocks;
}

void
mprof_reset_peak(void)
{
    mp_session_reset_peak();
}

void
mprof_print_status(const char *text)
{
    mp_session_print_status(text ? text : "status");
}

void
mprof_set_callback(void (*function)(void *cookie, size_t current), void *cookie, size_t step)
{
    mp_callback_set(function, cookie, step);
}

void
mprof_checkpoint(const char *name)
{
    mp_session_checkpoint(name ? name : "", __builtin_frame_address(0));
}

int
mprof_heap_snapshot(const char *name)
{
    return -mp_session_heap_called(name, __builtin_frame_address(0));
}

static void
miss(struct mp_recorder *recorder, enum mp_missing why)
{
    __atomic_add_fetch(&recorder->header->missing[why], 1, __ATOMIC_RELAXED);
}

/* Counts the free of OBJECT. SEEN is false if the program reused its address without reporting a free. */
static void
count_free(struct mp_recorder *recorder, const struct mp_pool_object *object, bool seen)
{
    bool last = recorder->last_block == MP_LAST_POOLED &&
                recorder->last_pooled.pool == object->pool &&
                recorder->last_pooled.address == object->address;

    if (object->cell >= mp_store.first_cell) {
        for (size_t i = 0; i < object->count; i++) {
            mp_count_free(recorder, object->cell, object->size, seen && last, recorder->sample_period > 0);
            if (recorder->timed && seen)
                mp_lifetime_end(recorder, object->birth, object->cell, object->size);
        }
        if (!seen)
            miss(recorder, MP_MISS_UNSEEN_FREE);
    } else if (seen && recorder->sample_period == 0) {
        miss(recorder, MP_MISS_FOREIGN_FREE);
    }
}

/* Counts the elements of OBJECT in the bins of a sampled recording. Reduces object->count to the number of elements
 * that are samples. */
static void
sample(struct mp_recorder *recorder, struct mp_pool_object *object)
{
    const size_t count = object->count;

    object->count = 0;
    for (size_t i = 0; i < count; i++)
        if (!mp_sample_passes(recorder, object->size)) {
            mp_sample_take(recorder, object->size);
            object->count++;
        }
}

static void
count_alloc(struct mp_recorder *recorder, struct mp_pool_object *object, const void *frame)
{
    const bool sampled = recorder->sample_period > 0;
    struct mp_pool_object old;
    uint32_t context;

    recorder->last_block = NULL;
    if (sampled)
        sample(recorder, object);
    if (object->count == 0)
        return;
    if (recorder->timed)
        object->birth = mp_lifetime_pass(object->size * object->count);
    context = mp_chain_capture(recorder, frame);
    if (context)
        object->cell =
            mp_counter_cell(recorder, context, mp_sizeclass(object->size), object->size);
    if (!object->cell || !mp_pool_put(object, &old)) {
        miss(recorder, MP_MISS_DROPPED);
        return;
    }
    if (old.cell)
        count_free(recorder, &old, false);
    for (size_t i = 0; i < object->count; i++)
        mp_count_alloc(recorder, object->cell, object->size, sampled);
    recorder->last_pooled.pool = object->pool;
    recorder->last_pooled.address = object->address;
    recorder->last_block = MP_LAST_POOLED;
}

/* Counts OBJECT, which was allocated by the caller of the function with FRAME. */
static void
record(struct mp_pool_object *object, const void *frame)
{
    struct mp_recorder *recorder;

    if (!object->address || object->count == 0)
        return;
    recorder = mp_enter(&mp_thread, frame);
    if (!recorder) {
        mp_activation_dropped(&mp_thread, frame);
        return;
    }
    count_alloc(recorder, object, frame);
    mp_chain_done(recorder);
    mp_leave(&mp_thread, recorder);
}

MP_NOINLINE void
mprof_record_alloc(const void *pool, const void *address, size_t size)
{
    record(&(struct mp_pool_object){ .pool = pool, .address = address, .size = size, .count = 1 },
           __builtin_frame_address(0));
}

MP_NOINLINE void
mprof_record_alloc_array(const void *pool, const void *address, size_t count, size_t size)
{
    record(&(struct mp_pool_object){ .pool = pool, .address = address, .size = size, .count = count },
           __builtin_frame_address(0));
}

#define BATCH 16u               /* number of objects that are taken at once; small, because stacks may be small */

/* Takes all records of the object (POOL, ADDRESS), or of all objects of POOL if ADDRESS is NULL. Counts them as
 * freed unless RECORDER is NULL. Returns false if there is no such record. */
static bool
free_all(struct mp_recorder *recorder, const void *pool, const void *address)
{
    struct mp_pool_object objects[BATCH];
    bool any = false;
    unsigned n;

    while ((n = mp_pool_take(pool, address, objects, BATCH)) > 0) {
        any = true;
        for (unsigned i = 0; recorder && i < n; i++)
            count_free(recorder, &objects[i], true);
    }
    return any;
}

/* Counts the object (POOL, ADDRESS) as freed, or all objects of POOL if ADDRESS is NULL. FRAME is that of the function
 * that the program called. */
static void
record_free(const void *pool, const void *address, const void *frame)
{
    struct mp_recorder *recorder = mp_enter(&mp_thread, frame);

    if (recorder) {
        if (!free_all(recorder, pool, address) && address && recorder->sample_period == 0)
            miss(recorder, MP_MISS_UNKNOWN_FREE);
        mp_leave(&mp_thread, recorder);
    } else if (mp_thread.held) {
        mp_activation_free_dropped(&mp_thread, frame);
    } else {
        free_all(NULL, pool, address);
    }
}

MP_NOINLINE void
mprof_record_free(const void *pool, const void *address)
{
    record_free(pool, address, __builtin_frame_address(0));
}

/* ---------------------------------------------------------------- heaptrack's interface
 * Programs that report the objects of their own pools to heaptrack look for these functions, which heaptrack_api.h
 * declares. That header has no pools, so all objects are in one. */

MPROF_WEAK void heaptrack_malloc(void *object, size_t size);
MPROF_WEAK void heaptrack_realloc(void *old, size_t size, void *object);
MPROF_WEAK void heaptrack_free(void *object);

static const char reported;     /* its address is the pool */

static void
record_reported(const void *object, size_t size, const void *frame)
{
    record(&(struct mp_pool_object){ .pool = &reported, .address = object, .size = size, .count = 1 }, frame);
}

MP_NOINLINE void
heaptrack_malloc(void *object, size_t size)
{
    record_reported(object, size, __builtin_frame_address(0));
}

/* A realloc that failed, whose OBJECT is NULL, leaves OLD as it was. */
MP_NOINLINE void
heaptrack_realloc(void *old, size_t size, void *object)
{
    if (!object)
        return;
    if (old)
        record_free(&reported, old, __builtin_frame_address(0));
    record_reported(object, size, __builtin_frame_address(0));
}

MP_NOINLINE void
heaptrack_free(void *object)
{
    if (object)
        record_free(&reported, object, __builtin_frame_address(0));
}
