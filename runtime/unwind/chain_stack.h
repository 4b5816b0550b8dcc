/*
 * chain_stack.h -- finds out from the walked chains how deep a thread's own stack is when the thread allocates.
 *
 * The depth of a chain is the distance from the stack pointer of its outermost frame (in _start, or where libc
 * starts the thread) to that of the function that allocates. Among the chains of one memo, which share the
 * outermost frame, the one with the lowest stack pointer is the deepest. Therefore only a chain whose stack pointer
 * is below memo->low is examined here. Known chains, and chains that the memo holds, need no examination. The same
 * thread walked them before, on the same stack, with the same stack pointers. Forgotten chains
 * (mp_recorder_forget_chains()) are walked again.
 *
 * A chain counts if all of it is known to be on one stack, and if this is the thread's own stack:
 *
 *     The chain is whole. Its outermost frame is the first on the stack that the kernel made for the
 *     program, or it is in libc's code that starts threads, always at the same place for this thread.
 *     (__start_context, where makecontext(3)'s coroutines begin, is in libc, too, but has no unwind
 *     information.)
 *
 *     Each frame is followed by its caller's. A function whose frame has a fixed size cannot have
 *     switched to another stack. A signal's frame shows whether it is on the alternate stack. Functions
 *     with a frame of variable size (alloca, no optimisation) remain. If such a frame covers whole
 *     pages, all of them must be readable, because between two stacks there is an unreadable guard
 *     page. (Two adjacent stacks without one would be taken for one stack.)
 *
 * The result for a frame is kept in the memo, so that each frame is examined once. If a chain is not on its
 * thread's own stack, memo->low does not change. It is the lowest stack pointer of the chains that count, or, in
 * the memo of a stack that is no thread's own, of all chains.
 */
#ifndef MP_CHAIN_STACK_H
#define MP_CHAIN_STACK_H

#include "runtime/record/recorder.h"

/* Examines RECORDER's last chain, which MEMO holds and which begins below memo->low. MEMO is empty if there was no
 * memory for the chain. */
void mp_stack_deeper(struct mp_recorder *recorder, struct mp_memo *memo);

#endif
