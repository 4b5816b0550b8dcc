/*
 * chain_stack.h -- finds out which addresses belong to the stack of a memo, so that a later stack pointer selects the
 * right memo.
 *
 * The stack of a memo begins at the stack pointer of the outermost frame, memo->high. It reaches down to memo->low, the
 * lowest stack pointer of the chains that are on this stack as a whole. Only a chain that begins below memo->low is
 * examined here. A chain is on one stack as a whole if each frame is on the same stack as its caller:
 *
 *     A function whose frame has a fixed size cannot have switched to another stack. A signal's frame
 *     shows whether it is on the alternate stack. Functions with a frame of variable size (alloca, no
 *     optimisation) remain. If such a frame covers whole pages, all of them must be readable, because
 *     between two stacks there is an unreadable guard page. (Two adjacent stacks without one would be
 *     taken for one stack.)
 *
 * A mistake costs time only, because a chain is proved by its words, whichever memo holds it. The result for a frame is
 * kept in the memo, so that each frame is examined once.
 */
#ifndef MP_CHAIN_STACK_H
#define MP_CHAIN_STACK_H

#include "runtime/record/recorder.h"

/* Lowers memo->low to the stack pointer of the chain that MEMO holds, if the whole chain is on one stack. The chain
 * begins below memo->low. MEMO is empty if there was no memory for the chain. */
void mp_stack_deeper(struct mp_memo *memo);

#endif
