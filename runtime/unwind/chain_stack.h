/*
 * chain_stack.h -- how deep a thread's own stack is at its allocations, seen from the chains that are walked.
 *
 * The depth of a chain is the distance from its outermost frame's stack pointer (in _start, or where libc
 * starts the thread) to that of the function which allocates.  Of the chains that lead to one and the same
 * outermost frame, that is, of one memo, the one with the lowest stack pointer is the deepest.  So only a
 * chain whose stack pointer is below memo->low is looked at here.  Allocations whose chain is a known one,
 * or one that the memo holds, need not be: the same thread walked it before, on the same stack, with the
 * same stack pointers.  What is forgotten (mp_recorder_forget_chains()) is walked again.
 *
 * A chain counts if it is known that all of it is on one stack, and that this is the thread's own:
 *
 *     The chain is whole.  Its outermost frame is the first on the stack that the kernel made for the
 *     program, or in the code of libc that starts threads, at the same place whenever it is this thread.
 *     (__start_context, where makecontext(3)'s coroutines begin, is in libc, too, but has no unwind
 *     information.)
 *
 *     Each frame is followed by its caller's.  A function whose frame has a fixed size cannot have gone to
 *     another stack.  A signal's frame says whether it is on the alternate stack.  What is left are
 *     functions with a frame of any size (alloca, no optimisation).  If such a frame covers whole pages,
 *     they must all be there to be read: between two stacks there is a page that cannot be, the guard
 *     page.  (Two stacks next to each other without one would be taken for one, by the code that goes from
 *     one to the other.)
 *
 * What was found out of a frame is kept with it in the memo, so that each is looked at once.  Where a chain
 * is away from its own stack, memo->low stays as it is: it is the lowest of the chains that count; in the
 * memo of a stack that is no thread's own, of all.
 */
#ifndef MP_CHAIN_STACK_H
#define MP_CHAIN_STACK_H

#include "runtime/record/recorder.h"

/* The chain that MEMO holds, RECORDER's last one, begins below memo->low: look at it.  MEMO is empty if there
 * was no memory for it. */
void mp_stack_deeper(struct mp_recorder *recorder, struct mp_memo *memo);

#endif
