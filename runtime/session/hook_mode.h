/* SPDX-License-Identifier: MIT */
/*
 * hook_mode.h -- the mode: what the hooks of the malloc family have to record. Each hook tests the mode first.
 */
#ifndef MP_HOOK_MODE_H
#define MP_HOOK_MODE_H

#include <stdint.h>

#include "control.h"           /* hooks that are idle look for requests */
#include "runtime/compiler.h"

enum mp_hook_mode {
    MP_HOOKS_RECORD,            /* record everything */
    MP_HOOKS_SAMPLE,            /* record samples; also the mode before the first call of a hook */
    MP_HOOKS_IDLE               /* record nothing until there is a request. Frees leave the block table as it is, so
                                   that the next recording has to clear it. */
};

/* Written under the lock once there are threads. Defined in session.c. */
extern MP_HIDDEN uint32_t mp_hook_mode;

MP_INLINE void
mp_hooks_turn(enum mp_hook_mode mode)
{
    __atomic_store_n(&mp_hook_mode, mode, __ATOMIC_RELAXED);
}

/* Returns the mode. Compares in memory, once for all three modes. */
MP_INLINE enum mp_hook_mode
mp_hooks_mode(void)
{
#if defined __x86_64__ && defined __GNUC__ && !defined __clang__
    __asm__ goto("cmpl %1, %0\n\tjb %l[record]\n\tja %l[idle]"
                 : : "m"(mp_hook_mode), "i"(MP_HOOKS_SAMPLE) : "cc", "memory" : record, idle);
    return MP_HOOKS_SAMPLE;
record:
    return MP_HOOKS_RECORD;
idle:
    return MP_HOOKS_IDLE;
#else
    return (enum mp_hook_mode)__atomic_load_n(&mp_hook_mode, __ATOMIC_ACQUIRE);
#endif
}

#endif
