/* SPDX-License-Identifier: MIT */
#include "callback.h"

#include <errno.h>
#include <stdint.h>

#include "runtime/record/counter.h"
#include "runtime/store/store.h"
#include "runtime/system/gate.h"
#include "runtime/system/sys.h"
#include "session.h"

/* Guarded by the lock. */
static struct {
    void (*function)(void *cookie, size_t current);
    void *cookie;
    int64_t step;
} wanted;

/* Id of the process in which a thread is calling the program's function, or 0. Only one thread calls it at a time. If
 * another thread forks meanwhile, the child inherits this variable, and sees by its own process id that none of its
 * threads is calling. */
static uint32_t at_work;

/* Sets the bounds at which the next call is due, and returns the live bytes. */
static int64_t
watch(void)
{
    MP_LOCK_HELD();
    const int64_t current = mp_session_active() ? mp_store.header->live_bytes + mp_recorder_pending() : 0;

    __atomic_store_n(&mp_counter_watch.step, wanted.step, __ATOMIC_RELAXED);
    __atomic_store_n(&mp_counter_watch.low, current - wanted.step + 1, __ATOMIC_RELAXED);
    __atomic_store_n(&mp_counter_watch.high, current + wanted.step - 1, __ATOMIC_RELAXED);
    __atomic_store_n(&mp_counter_watch.on, wanted.function != NULL, __ATOMIC_RELEASE);
    return current;
}

void
mp_callback_set(void (*function)(void *cookie, size_t current), void *cookie, size_t step)
{
    struct mp_gate_hold hold;

    if (mp_gate_lock(&hold)) {
        wanted.function = function;
        wanted.cookie = cookie;
        wanted.step = step == 0 ? 1 : step < INT64_MAX / 2 ? (int64_t)step : INT64_MAX / 2;
        watch();
        mp_gate_raise();                /* so that each thread commits its bytes and computes the distance to the next
                                           call */
    }
    mp_gate_unlock(&hold);
}

static void
call(void)
{
    int64_t current = 0;
    void (*function)(void *cookie, size_t current) = NULL;
    void *cookie = NULL;
    const int error = errno;
    struct mp_gate_hold hold;

    if (mp_gate_lock(&hold)) {
        function = wanted.function;
        cookie = wanted.cookie;
        current = watch();
    }
    mp_gate_unlock(&hold);
    if (function)
        function(cookie, current > 0 ? (size_t)current : 0);
    errno = error;
}

void
mp_callback_due(void)
{
    const uint32_t pid = (uint32_t)mp_sys_getpid();
    uint32_t before = __atomic_load_n(&at_work, __ATOMIC_RELAXED);

    if (before == pid || !__atomic_compare_exchange_n(&at_work, &before, pid, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    call();
    __atomic_store_n(&at_work, 0, __ATOMIC_RELEASE);
}
