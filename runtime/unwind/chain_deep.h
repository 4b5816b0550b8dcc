/*
 * chain_deep.h -- how much of a deep chain can have changed since it was last captured.
 *
 * To compare every frame of a chain costs time in proportion to its depth: little below a hundred
 * frames, half a microsecond for six hundred whose words lie in a line of the cache each, 80 us in a
 * recursion that is 200,000 frames deep.  Most of such a chain cannot have changed, and that can be
 * known without reading it:
 *
 *     The words by which a frame is known (its return address, the fp that it saved) are written
 *     by the call that makes it, or while it is the innermost frame.  If they changed since the
 *     last capture, then that frame and all that are now inside of it were called since; with p
 *     frames inside, that is p + 1 calls, which take time.
 *
 * That holds whatever the program did to get out of the old frames: return, jump (longjmp, exceptions),
 * go to another stack and come back (coroutines, signal handlers); and for the frames of a stack that is
 * used again, because they were called there since.
 *
 * So after t ticks of the processor's time stamp counter the frames that lie more than 2 t further out
 * are what they were, and only the others are compared.  Calls and nothing else, each out of the one
 * before, are 0.70 in a tick of an AMD EPYC of 2022: one in two cycles, as on other processors (Agner Fog,
 * "Instruction tables"), at 1.4 times the clock of its counter.  (No frame of a program is so little;
 * functions that call themselves and return make 0.35.)  For more than 2 a processor would have to run at
 * more than four times the clock of its counter with nothing else to do; where it tells that it can run so
 * fast, the factor is larger (mp_machine_calls_in_a_tick()).
 *
 * The counter is read when the monitor is done, and again at the next capture; what the monitor needs
 * between is not counted, but for its part in the program's calls of free().  No call of the program
 * begins before the first reading or is under way at the second (mp_machine_clock()).  When a thread was
 * moved to another processor all its frames are compared, because the counters of two may differ; and
 * so they are where there is no counter.
 *
 * The cost of an allocation is bounded then by the time that the program itself ran since the last
 * one (three times that, and half a microsecond), not by the depth.
 *
 * Not covered: a program that changes what is not its innermost frame, faster than it could call so many
 * functions: puts other contents in the place of its stack, or writes return addresses of its callers.
 */
#ifndef MP_CHAIN_DEEP_H
#define MP_CHAIN_DEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/record/recorder.h"

/* What MEMO remembers is the present chain, of more than mp_options.deep frames.  True: it is to be compared
 * as a whole, because it was of no use lately to ask for less.  The monitor is not done yet. */
bool mp_deep_captured(struct mp_memo *memo);

/* Now it is, if MEMO is not to be compared as a whole: the time until now was not the program's.  If there
 * is no counter, MEMO is to be compared as a whole. */
void mp_deep_note(struct mp_memo *memo);

/* The program comes back: see how many frames can have changed meanwhile. */
void mp_deep_look(struct mp_memo *memo);

/* The program has the counter forbidden, or is about to (prctl(2), seccomp(2)): to read it would kill the
 * thread.  It is not read any more, by any thread, and all frames are compared. */
void mp_deep_no_clock(void);

/* From CACHED, a frame that MEMO remembers, with N frames of the present chain inside of it: up to
 * where the words are to be compared. */
const struct mp_word *mp_deep_words(const struct mp_memo *memo,
                                    const struct mp_cached_frame *cached, size_t n);

#endif
