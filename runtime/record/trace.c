/* SPDX-License-Identifier: MIT */
#include "trace.h"

#include <time.h>

#include "runtime/system/sys.h"

/* Returns the number of spans. The limit of MP_TRACE_SPANS is needed because another process may have overwritten
 * the number. */
static uint32_t
n_spans(const struct mp_live_trace *trace)
{
    return trace->n < MP_TRACE_SPANS ? trace->n : MP_TRACE_SPANS;
}

static uint64_t
first_time(const struct mp_live_span *span)
{
    return span->low_time < span->high_time ? span->low_time : span->high_time;
}

/* Extends TO by the points of SPAN, which is later. */
static void
join(struct mp_live_span *to, const struct mp_live_span *span)
{
    if (span->low < to->low) {
        to->low_time = span->low_time;
        to->low = span->low;
    }
    if (span->high > to->high) {
        to->high_time = span->high_time;
        to->high = span->high;
    }
}

static uint64_t
last_time(const struct mp_live_span *span)
{
    return span->low_time > span->high_time ? span->low_time : span->high_time;
}

/* Returns whether the points of A and B, the next span, differ by at most STEP bytes, or by less than SPACING ns. */
static bool
are_near(const struct mp_live_span *a, const struct mp_live_span *b, int64_t step, uint64_t spacing)
{
    return (a->high > b->high ? a->high : b->high) - (a->low < b->low ? a->low : b->low) <= step ||
           last_time(b) - first_time(a) < spacing;
}

/* Joins adjacent spans of TRACE that are near each other. */
static void
join_neighbours(struct mp_live_trace *trace, int64_t step)
{
    const uint32_t n = n_spans(trace);
    uint32_t to = 0;

    for (uint32_t from = 1; from < n; from++) {
        const struct mp_live_span span = trace->spans[from];

        if (are_near(&trace->spans[to], &span, step, trace->spacing))
            join(&trace->spans[to], &span);
        else
            trace->spans[++to] = span;
    }
    __atomic_store_n(&trace->n, to + 1, __ATOMIC_RELEASE);
}

/* Frees spans of TRACE. Raises the spacing until enough spans are free, so that all dense parts of a recording
 * have the same resolution. */
static void
make_room(struct mp_live_trace *trace, int64_t step)
{
    for (join_neighbours(trace, step); trace->n > MP_TRACE_SPANS / 4 * 3; join_neighbours(trace, step)) {
        trace->spacing *= 2;
        if (trace->spacing == 0)                /* another process has overwritten the trace */
            trace->n = 1;
    }
}

/* Returns the time of the next point. Sets *KNOWN to whether the clock was read. */
static uint64_t
next_time(struct mp_live_trace *trace, uint64_t start, bool *known)
{
    uint64_t time;

    *known = trace->passed >= trace->passes;
    if (!*known) {
        trace->passed++;
        return trace->time + 1;
    }
    time = mp_sys_clock(CLOCK_MONOTONIC);
    time = time > start ? time - start : 0;
    trace->passed = 0;
    return time > trace->time ? time : trace->time + 1;         /* times must ascend, but behind a seccomp filter the
                                                                   clock is coarse and may return the same time again */
}

/* Adds a point for the present time. Returns the span to which it was added, or NULL if it begins a new one. */
static const struct mp_live_span *
add_point(struct mp_live_trace *trace, uint64_t start, int64_t bytes, int64_t step)
{
    const uint32_t n = n_spans(trace);
    bool known;
    const uint64_t time = next_time(trace, start, &known);
    const struct mp_live_span point = {time, bytes, time, bytes};

    trace->time = time;
    if (n > 0 && time - first_time(&trace->spans[n - 1]) < trace->spacing) {
        join(&trace->spans[n - 1], &point);
        if (known && trace->passes < MP_TRACE_PASSES)
            trace->passes = 2 * trace->passes + 1;
        return &trace->spans[n - 1];
    }
    trace->passes = 0;
    if (n == 0)
        trace->spacing = MP_TRACE_SPACING;
    if (n == MP_TRACE_SPANS)
        make_room(trace, step);
    trace->spans[n_spans(trace)] = point;
    __atomic_store_n(&trace->n, n_spans(trace) + 1, __ATOMIC_RELEASE);
    return NULL;
}

/* Returns whether RECORDER, which has added a point to SPAN, can make the interval as wide as SPAN. */
static bool
may_widen(const struct mp_recorder *recorder, const struct mp_live_span *span, int64_t step)
{
    return recorder->sole && recorder->sample_period == 0 && recorder->header->language == 0 &&
           span->high - span->low <= MP_TRACE_WIDE * step;
}

static void
come_back_soon(struct mp_recorder *recorder)
{
    if (recorder->frees_left <= MP_TRACE_FREES)
        return;
    recorder->frees_later += recorder->frees_left - MP_TRACE_FREES;
    recorder->frees_left = MP_TRACE_FREES;
}

void
mp_trace_narrow(struct mp_live_trace *trace)
{
    trace->passed = trace->passes;
    __atomic_store_n(&trace->low, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&trace->high, -1, __ATOMIC_RELAXED);
}

MP_COLD void
mp_trace_note_outside(struct mp_recorder *recorder, int64_t bytes, int64_t peak)
{
    struct mp_live_trace *trace = recorder->trace;
    const int64_t part = (bytes > peak ? bytes : peak) / MP_TRACE_PARTS;
    const int64_t step = part > MP_TRACE_STEP ? part : MP_TRACE_STEP;
    const struct mp_live_span *span;
    int64_t low = bytes - step, high = bytes + step;
    uint32_t holder = 0;

    if (!__atomic_compare_exchange_n(&trace->holder, &holder, recorder->id, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED) &&
        holder != recorder->id)
        return;
    span = add_point(trace, recorder->header->start_monotonic, bytes, step);
    if (span && may_widen(recorder, span, step)) {
        low = span->low < low ? span->low : low;
        high = span->high > high ? span->high : high;
        come_back_soon(recorder);
    }
    __atomic_store_n(&trace->low, low, __ATOMIC_RELAXED);
    __atomic_store_n(&trace->high, high, __ATOMIC_RELAXED);
    __atomic_store_n(&trace->holder, 0, __ATOMIC_RELEASE);
}
