/*
 * chain_deep.h -- how much of a very deep chain can have changed since it was last captured.
 *
 * To compare every frame of a chain costs time in proportion to its depth: little below a
 * thousand frames, but 80 us for each allocation in a recursion that is 200,000 frames deep.  Most
 * of that chain cannot have changed, and that can be known without reading it:
 *
 *     The words by which a frame is known (its return address, the fp that it saved) are written
 *     by the call that makes it, or while it is the innermost frame.  If they changed since the
 *     last capture, then all frames that are now inside of it were called since; with p frames
 *     inside, that is p calls, which take time.
 *
 * So after t ticks of the processor's time stamp counter the frames that lie more than 2 t further
 * out are what they were, and only the others are compared.  (A function that calls itself and does
 * nothing else makes 0.36 frames a tick, measured on an AMD EPYC.  For 2 a processor would have to
 * call and return in each cycle, at four times the clock of its counter.)  What the monitor itself
 * needs between is not counted.  When a thread was moved to another processor all its frames are
 * compared, because the counters of two may differ; and so they are where there is no counter.
 *
 * The cost of an allocation is bounded then by the time that the program itself ran since the last
 * one (three times that, and half a microsecond), not by the depth.
 *
 * Not covered: a program that puts other contents in the place of its stack, faster than it could
 * call so many functions, and goes on in it with the same innermost frames.
 */
#ifndef MP_CHAIN_DEEP_H
#define MP_CHAIN_DEEP_H

#include <stddef.h>

#include "runtime/record/recorder.h"

/* What MEMO remembers, more than mp_options.deep frames, is the present chain; the time until now
 * was not the program's.  If there is no counter, MEMO is to be compared as a whole. */
void mp_deep_note(struct mp_memo *memo);

/* The program comes back: see how many frames can have changed meanwhile. */
void mp_deep_look(struct mp_memo *memo);

/* From CACHED, a frame that MEMO remembers, with N frames of the present chain inside of it: up to
 * where the words are to be compared. */
const struct mp_word *mp_deep_words(const struct mp_memo *memo,
                                    const struct mp_cached_frame *cached, size_t n);

#endif
