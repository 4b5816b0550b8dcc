/*
 * stack.h -- how deep stacks were: the words of struct mp_live_recorder's `stack` and `stacks`.
 */
#ifndef MP_STACK_H
#define MP_STACK_H

#include <stdint.h>

#include "runtime/compiler.h"
#include "runtime/format.h"

/* The word for a chain with CONTEXT on BYTES of its thread's own stack. */
MP_INLINE uint64_t
mp_stack_word(uint64_t bytes, uint32_t context)
{
    const uint64_t units = bytes / MP_STACK_UNIT;

    return (units < UINT32_MAX ? units : UINT32_MAX) << 32 | context;
}

/* The context in WORD; 0: none. */
MP_INLINE uint32_t
mp_stack_context(uint64_t word)
{
    return (uint32_t)word & ~MP_STACK_AWAY;
}

/* *WORD becomes the deeper one of itself and OTHER, away if one of them is.  A signal handler of the same
 * thread may do the same meanwhile, and a reader sees one word or the other. */
MP_INLINE void
mp_stack_raise(uint64_t *word, uint64_t other)
{
    uint64_t old = __atomic_load_n(word, __ATOMIC_RELAXED), raised;

    do
        raised = (old >> 32 >= other >> 32 ? old : other) | ((old | other) & MP_STACK_AWAY);
    while (raised != old && !__atomic_compare_exchange_n(word, &old, raised, 0, __ATOMIC_RELEASE,
                                                         __ATOMIC_RELAXED));
}

#endif
