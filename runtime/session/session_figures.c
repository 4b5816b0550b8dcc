/*
 * session_figures.c -- figures of the present session, for the program itself.
 */
#include "activation.h"
#include "runtime/record/recorder.h"
#include "runtime/record/sample.h"
#include "runtime/store/store.h"
#include "runtime/system/gate.h"
#include "session.h"

/* The header, if it is being written; NULL: none is.  Lock held, so that it is not given up. */
static const struct mp_live_header *
active_header(void)
{
    return mp_session_active() ? mp_store.header : NULL;
}

/* Lock held: recorders may otherwise be given up while one looks at them. */
static int64_t
current_of(const struct mp_live_header *header)
{
    return header ? header->live_bytes + mp_recorder_pending() : 0;
}

int64_t
mp_session_current(void)
{
    struct mp_gate_hold hold;
    int64_t current;

    current = current_of(mp_gate_lock(&hold) ? active_header() : NULL);
    mp_gate_unlock(&hold);
    return current;
}

int64_t
mp_session_peak(void)
{
    const struct mp_live_header *header;
    struct mp_gate_hold hold;
    int64_t peak;

    header = mp_gate_lock(&hold) ? active_header() : NULL;
    peak = current_of(header);
    if (header && header->peak_bytes > peak)
        peak = header->peak_bytes;
    mp_gate_unlock(&hold);
    return peak;
}

struct mp_allocated
mp_session_allocated(const struct mp_recorder *recorder)
{
    struct mp_allocated allocated = {0, 0};
    struct mp_gate_hold hold;

    if (mp_gate_lock(&hold) && mp_session_active())
        allocated = mp_sample_period > 0 ? mp_sample_allocated(recorder)
                                         : mp_counter_allocated(recorder);
    mp_gate_unlock(&hold);
    return allocated;
}

int64_t
mp_session_current_blocks(void)
{
    struct mp_gate_hold hold;
    int64_t live;

    live = mp_gate_lock(&hold) && mp_session_active()
               ? mp_sample_period > 0 ? mp_sample_live_blocks() : mp_counter_live_blocks() : 0;
    mp_gate_unlock(&hold);
    return live > 0 ? live : 0;
}

void
mp_session_reset_peak(void)
{
    struct mp_gate_hold hold;

    if (mp_gate_lock(&hold) && mp_session_active()) {
        struct mp_live_header *header = mp_store.header;
        struct mp_recorder *recorder = mp_activation_recorder();

        if (recorder)
            mp_counter_commit(recorder);
        header->peak_bytes = header->live_bytes;
        header->peak_slack = (uint64_t)mp_recorder_batches();
        mp_counter_raise_epoch(header);
        mp_gate_raise();
    }
    mp_gate_unlock(&hold);
}
