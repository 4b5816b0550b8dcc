/* SPDX-License-Identifier: MIT */
/*
 * session_figures.c -- figures of the present session, for the program itself.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "activation.h"
#include "runtime/record/recorder.h"
#include "runtime/record/sample.h"
#include "runtime/store/store.h"
#include "runtime/system/diag.h"
#include "runtime/system/gate.h"
#include "runtime/system/options.h"
#include "runtime/system/program.h"
#include "runtime/system/sys.h"
#include "session.h"

/* Returns the header of the file being written, or NULL. The lock is held, so that the file is not released. */
static const struct mp_live_header *
active_header(void)
{
    MP_LOCK_HELD();
    return mp_session_active() ? mp_store.header : NULL;
}

/* Returns the live bytes. Lock held, so that no recorder is released meanwhile. */
static int64_t
current_of(const struct mp_live_header *header)
{
    MP_LOCK_HELD();
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
        allocated = mp_sample_period > 0 ? mp_recorder_binned(recorder)
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

/* ------------------------------------------------------------------ as text */

#define LINE_SIZE 768u

static void
write_status(const char *text, char line[static LINE_SIZE])
{
    const struct mp_allocated total = mp_session_allocated(NULL);

    if (!mp_session_active())
        snprintf(line, LINE_SIZE, "%.400s: nothing is recorded", text);
    else
        snprintf(line, LINE_SIZE, "%.400s: total %" PRIu64 " bytes in %" PRIu64 " blocks, peak %" PRId64
                 " bytes, current %" PRId64 " bytes in %" PRId64 " blocks", text, total.bytes, total.blocks,
                 mp_session_peak(), mp_session_current(), mp_session_current_blocks());
}

void
mp_session_print_status(const char *text)
{
    char line[LINE_SIZE];

    write_status(text, line);
    mp_diag(line, 0, NULL);
}

/* Appends LINE to the file that the options name. */
static void
append_line(const char *line)
{
    static MP_LARGE char path[MP_PATH_SIZE];    /* may be static, because the process ends */
    char whole[LINE_SIZE + 16];
    const int length = snprintf(whole, sizeof whole, "mprof: %s\n", line);
    long result = mp_options_expand(mp_options.summary, (uint32_t)mp_sys_getpid(), mp_program_name(), path);

    if (result == 0)
        result = mp_sys_append(path, whole, (size_t)length);
    if (result < 0)
        mp_diag(mp_options.summary, (int)-result, "no summary is written");
}

void
mp_session_summary(void)
{
    char text[128], line[LINE_SIZE];

    if (!mp_options.summary[0])
        return;
    snprintf(text, sizeof text, "%.100s (%" PRIu32 ")", mp_program_name(), (uint32_t)mp_sys_getpid());
    write_status(text, line);
    if (strcmp(mp_options.summary, "1") == 0)
        mp_diag(line, 0, NULL);
    else
        append_line(line);
}
