/*
 * trace.h -- the live bytes over time: struct mp_live_trace, which every recording has.
 *
 * A recorder that commits (counter.h) writes a point if the total has left the interval around the last point.  No
 * fast path asks for that: the sole recorder's batch ends where the interval does, and the others commit often
 * anyway.  Points that come faster than one in `spacing` take their time from the last point, up to MP_TRACE_PASSES
 * of them, because reading the clock costs more than the rest.
 *
 * One recorder writes at a time.  Another one that comes meanwhile goes on without a point, and writes it at its
 * next commit.  A handler may jump out of the hook that is writing; its recorder finds itself the holder then.
 */
#ifndef MP_TRACE_H
#define MP_TRACE_H

#include "recorder.h"

#define MP_TRACE_PASSES 15u

/* BYTES are live, PEAK were live at most until the last free.  RECORDER has a trace. */
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
