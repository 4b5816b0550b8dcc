/* SPDX-License-Identifier: MIT */
/*
 * trace.h -- records the live bytes over time, in struct mp_live_trace. Every recording has one.
 *
 * A recorder that commits (counter.h) writes a point if the total has left the interval around the last point.
 * Fast paths do not check that: the batch of the sole recorder ends at the interval, and other recorders commit
 * often anyway. Points closer together than `spacing` take their time from the last point, up to MP_TRACE_PASSES
 * of them, because reading the clock costs more than everything else.
 *
 * A span keeps only its lowest and highest point. So while a program allocates and frees so fast that points belong
 * to the last span, points between these two are not needed, and the interval is as wide as the span. Otherwise each
 * larger block of a program with a small heap would leave the interval. After MP_TRACE_FREES frees (mp_trim_due()),
 * the recorder writes a point whatever the total is. If this point is late enough, it begins a new span, with an
 * interval of the usual width.
 *
 * One recorder writes at a time. Another that comes meanwhile skips its point and writes it at its next commit.
 * If a signal handler jumps out of the hook that is writing, `holder` stays set, and the same recorder writes the
 * next points.
 */
#ifndef MP_TRACE_H
#define MP_TRACE_H

#include "recorder.h"

#define MP_TRACE_PASSES 15u
#define MP_TRACE_WIDE   4       /* maximum width of a span that widens the interval, in halves of the usual interval */
#define MP_TRACE_FREES  64u

/* Writes a point for the present time, at which BYTES are live. PEAK is the maximum of the live bytes up to the last
 * free. RECORDER has a trace. */
void mp_trace_note_outside(struct mp_recorder *recorder, int64_t bytes, int64_t peak);

/* Makes the next mp_trace_note() write a point, for which the clock is read. The caller's recorder is the sole one. */
void mp_trace_narrow(struct mp_live_trace *trace);

MP_INLINE void
mp_trace_note(struct mp_recorder *recorder, int64_t bytes, int64_t peak)
{
    const struct mp_live_trace *trace = recorder->trace;

    if (bytes > __atomic_load_n(&trace->high, __ATOMIC_RELAXED) ||
        bytes < __atomic_load_n(&trace->low, __ATOMIC_RELAXED))
        mp_trace_note_outside(recorder, bytes, peak);
}

#endif
