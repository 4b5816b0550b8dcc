/*
 * stack.h -- encodes stack depths for the fields `stack` and `stacks` of struct mp_live_recorder.
 */
#ifndef MP_STACK_H
#define MP_STACK_H

#include <stdint.h>

#include "runtime/compiler.h"
#include "runtime/format.h"

/* Returns the word for a chain with CONTEXT that used BYTES of its thread's own stack. */
MP_INLINE uint64_t
mp_stack_word(uint64_t bytes, uint32_t context)
{
    const uint64_t units = bytes / MP_STACK_UNIT;

    return (units < UINT32_MAX ? units : UINT32_MAX) << 32 | context;
}

/* Returns the context in WORD, or 0 if unknown. */
MP_INLINE uint32_t
mp_stack_context(uint64_t word)
{
    return (uint32_t)word & ~MP_STACK_AWAY;
}

/* Sets *WORD to the deeper one of *WORD and OTHER, with MP_STACK_AWAY if either has it. The change is atomic,
 * because a signal handler of the thread may do the same meanwhile, and because a reader must see a complete
 * word. */
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
