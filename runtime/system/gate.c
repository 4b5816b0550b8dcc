/* SPDX-License-Identifier: MIT */
#include "gate.h"

#include <errno.h>
#include <sys/mman.h>

#include "runtime/compiler.h"
#include "sys.h"
#include "thread.h"

#define GATE_SIZE 65536u        /* one page, for any page size */

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

static uint32_t last_generation;
static void (*on_inherited)(void);      /* NULL until the page is mapped */

int
mp_gate_open(void (*inherited)(void))
{
    struct mp_gate *page = mp_sys_map(GATE_SIZE);

    if (!page)
        return -ENOMEM;
    /* Fails on kernels before 4.14, where only the fork handlers reset the page. */
    mp_sys_madvise(page, GATE_SIZE, MADV_WIPEONFORK);
    on_inherited = inherited;
    mp_gate = page;
    return 0;
}

#define MAX_SPINS (1u << 24)   /* some tenths of a second */

static bool
try(uint32_t *lock)
{
    uint32_t open = 0;

    return __atomic_compare_exchange_n(lock, &open, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static void
sleep_for(uint32_t *lock)
{
    while (__atomic_exchange_n(lock, 2, __ATOMIC_ACQUIRE) != 0)
        mp_sys_futex_wait(lock, 2);
}

/* Waits for the lock by spinning. Returns false after MAX_SPINS attempts. After the first failure, all further calls
 * fail at once, because no thread should wait that long again. */
static MP_COLD bool
spin_for(uint32_t *lock)
{
    static uint32_t given_up;

    for (uint32_t i = 0; i < MAX_SPINS && !__atomic_load_n(&given_up, __ATOMIC_RELAXED); i++) {
        if (try(lock))
            return true;
        MP_SPIN();
    }
    __atomic_store_n(&given_up, 1, __ATOMIC_RELAXED);
    return false;
}

bool
mp_gate_lock(struct mp_gate_hold *hold)
{
    uint32_t *lock = &mp_gate->lock;
    bool blocked = mp_sys_block_signals(&hold->mask), held = mp_thread.held > 0;

    hold->error = errno;
    mp_thread.held++;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);    /* `held` first, so that a handler does not clear MP_GATE_HELD */
    mp_thread.generation |= MP_GATE_HELD;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    hold->taken = try(lock);
    if (!hold->taken && blocked) {
        sleep_for(lock);
        hold->taken = true;
    } else if (!hold->taken && !held) {         /* if `held`, a handler has interrupted this thread, which may hold
                                                   the lock */
        hold->taken = spin_for(lock);
    }
    if (hold->taken && MP_UNLIKELY(!mp_gate_is_ours()) && on_inherited)
        on_inherited();
    return hold->taken;
}

void
mp_gate_unlock(const struct mp_gate_hold *hold)
{
    if (hold->taken && __atomic_exchange_n(&mp_gate->lock, 0, __ATOMIC_RELEASE) == 2)
        mp_sys_futex_wake(&mp_gate->lock);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (--mp_thread.held == 0)          /* nonzero in a handler that interrupted its thread's own mp_gate_lock() */
        mp_thread.generation &= ~MP_GATE_HELD;
    errno = hold->error;
    mp_sys_unblock_signals(&hold->mask);
}

#ifdef MP_CHECK_LOCK
bool
mp_gate_held(void)
{
    return mp_thread.held > 0 || !on_inherited;
}
#endif

void
mp_gate_raise(void)
{
    /* The number is outside of the page, so that a child does not repeat its parent's generations. */
    uint32_t generation = __atomic_add_fetch(&last_generation, 1, __ATOMIC_RELAXED);

    if (generation == MP_GATE_HELD - 1)                 /* numbers from ~MP_GATE_HELD on have other meanings in
                                                           mp_thread.generation */
        __atomic_store_n(&last_generation, generation = 1, __ATOMIC_RELAXED);
    __atomic_store_n(&mp_gate->generation, generation, __ATOMIC_RELEASE);
}

void
mp_gate_reset(void)
{
    mp_gate->generation = 0;
    mp_gate->lock = 0;
    mp_gate->shut_pid = 0;
}
