/*
 * trace.h -- records the live bytes over time, in struct mp_live_trace. Every recording has one.
 *
 * A recorder that commits (counter.h) writes a point if the total has left the interval around the last point.
 * Fast paths do not check that: the batch of the sole recorder ends at the interval, and other recorders commit
 * often anyway. Points closer together than `spacing` take their time from the last point, up to MP_TRACE_PASSES
 * of them, because reading the clock costs more than everything else.
 *
 * One recorder writes at a time. Another that comes meanwhile skips its point and writes it at its next commit.
 * If a signal handler jumps out of the hook that is writing, `holder` stays set, and the same recorder writes the
 * next points.
 */
#ifndef MP_TRACE_H
#define MP_TRACE_H

#include "recorder.h"

#define MP_TRACE_PASSES 15u

/* Writes a point for the present time, at which BYTES are live. PEAK is the maximum of the live bytes up to the last
 * free. RECORDER has a trace. */
void mp_trace_note_outside(struct mp_recorder *recorder, int64_t bytes, int64_t peak);

MP_INLINE void
mp_trace_note(struct mp_recorder *recorder, int64_t bytes, int64_t peak)
{
    const struct mp_live_trace *trace = recorder->trace;

    if (bytes > __atomic_load_n(&trace->high, __ATOMIC_RELAXED) ||
        bytes < __atomic_load_n(&trace->low, __ATOMIC_RELAXED))
        mp_trace_note_outside(recorder, bytes, peak);
}

#endif
