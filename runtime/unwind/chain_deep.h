/* SPDX-License-Identifier: MIT */
/*
 * chain_deep.h -- bounds the part of a deep chain that can have changed since it was last captured.
 *
 * Comparing every frame of a chain takes time in proportion to its depth. Below a hundred frames this is little. It
 * is half a microsecond for six hundred frames whose words are in a cache line each, and 80 us in a recursion that
 * is 200,000 frames deep. Most of such a chain cannot have changed, and this can be known without reading it:
 *
 *     The words that identify a frame (its return address, the fp that it saved) are written by the
 *     call that makes it, or while it is the innermost frame. If they changed since the last capture,
 *     then that frame and all frames inside of it were called since. With p frames inside, these are
 *     p + 1 calls, which take time.
 *
 * That is true however the program left the old frames: by a return, a jump (longjmp, exceptions), or a switch to
 * another stack and back (coroutines, signal handlers). It is also true for the frames of a stack that is used
 * again, because they were called there since.
 *
 * Therefore, after t ticks of the processor's time stamp counter, the frames that lie more than 2 t frames further
 * out are unchanged, and only the others are compared. An AMD EPYC of 2022 makes 0.70 calls in a tick if it
 * executes nothing but nested calls. That is one call in two cycles, as on other processors (Agner Fog,
 * "Instruction tables"), at 1.4 times the clock of its counter. (No real frame does so little; functions that call
 * themselves and return make 0.35.) For more than 2 calls in a tick, a processor would have to run at more than
 * four times the clock of its counter with nothing else to do. If a processor reports that it can run so fast, the
 * factor is larger (mp_machine_calls_in_a_tick()).
 *
 * The counter is read when the monitor is done, and again at the next capture. The time of the monitor between
 * captures is not counted, except for its part in the program's calls of free(). No call of the program begins
 * before the first reading or is in progress at the second (mp_machine_clock()). If a thread was moved to another
 * processor, all its frames are compared, because the two counters may differ. All frames are also compared where
 * there is no counter.
 *
 * The cost of an allocation is then bounded by the time that the program itself ran since the last allocation, and
 * not by the depth. It is at most three times that, plus half a microsecond.
 *
 * Not covered is a program that changes frames other than its innermost one faster than it could call so many
 * functions. It would replace the contents of its stack or write return addresses of its callers.
 */
#ifndef MP_CHAIN_DEEP_H
#define MP_CHAIN_DEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/record/recorder.h"

/* Returns whether the present chain, which MEMO holds and which has more than mp_options.deep frames, is to be
 * compared as a whole the next time. It is if comparing less was of no use lately. Called before mp_deep_note(). */
bool mp_deep_captured(struct mp_memo *memo);

/* Notes the present time, at which the monitor is done, in MEMO. Time before it was not the program's. Called if
 * MEMO is not to be compared as a whole. If there is no counter, makes MEMO be compared as a whole. */
void mp_deep_note(struct mp_memo *memo);

/* Computes how many frames of MEMO can have changed while the program ran. Called at the next capture. */
void mp_deep_look(struct mp_memo *memo);

/* Makes all threads stop using the counter and compare all frames. Called when the program has the counter
 * forbidden or is about to (prctl(2), seccomp(2)), because reading it would then kill the thread. */
void mp_deep_no_clock(void);

/* Returns the end of the words that need no comparison, which prove the frames outside of the memo->fresh innermost
 * ones. CACHED is a frame that MEMO remembers. N frames of the present chain are inside of CACHED. */
const struct mp_word *mp_deep_words(const struct mp_memo *memo,
                                    const struct mp_cached_frame *cached, size_t n);

#endif
