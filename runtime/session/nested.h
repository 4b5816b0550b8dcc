/*
 * nested.h -- a hook is entered while its thread is in another one: was that one interrupted, or was it
 * left for good?
 */
#ifndef MP_NESTED_H
#define MP_NESTED_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Seen from the stack.  Stacks grow down: on one stack, a handler's hook is below the one that it
 * interrupted, so one at or above it means that the older was left, by a longjmp out of a signal
 * handler.  A handler on the alternate stack is recognised by the kernel's word for it.
 */
bool mp_nested_was_left(uintptr_t older, uintptr_t newer);

/* Seen from the chain of callers, which CONTEXT stands for: where it is whole, and holds neither a
 * signal nor this library, nothing is interrupted.  False for context 0. */
bool mp_nested_is_alone(uint32_t context);

/* The same for a hook with frame FRAME that nothing is recorded of, by rules; false on machines
 * without them. */
bool mp_nested_is_alone_at(uintptr_t frame);

#endif
