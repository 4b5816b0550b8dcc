/* SPDX-License-Identifier: MIT */
#include "session_control.h"

#include <errno.h>
#include <string.h>

#include "control.h"
#include "runtime/scan/scan.h"
#include "runtime/snapshot/snapshot_copy.h"
#include "runtime/snapshot/snapshot_series.h"
#include "runtime/store/store.h"
#include "runtime/system/diag.h"
#include "runtime/system/gate.h"
#include "runtime/system/options.h"
#include "runtime/system/sandbox.h"
#include "runtime/system/sys.h"
#include "session.h"
#include "session_leaks.h"
#include "session_marks.h"
#include "session_state.h"

/* Begins a new recording. mp_control_listen() puts the path of its file into CONTROL. Returns 0 or -errno. */
static int
start(struct mp_live_control *control, uint32_t sample)
{
    static MP_LARGE char file[MP_PATH_SIZE]; /* static because the stack may be small; guarded by the lock */
    const bool named = control->file[0] != '\0', gap = mp_session.gap || !mp_session_active();
    int result;

    if (mp_sandbox_is_shut())
        return -EPERM;
    memcpy(file, control->file, sizeof file - 1);
    mp_session_end_held();
    mp_session.gap = gap;
    mp_diag_quiet++;                    /* the requesting process gets the error */
    result = mp_session_begin_held(named ? file : mp_options.file,
                                   named ? MP_FILE_AS_SAID : MP_FILE_BESIDE, sample);
    mp_diag_quiet--;
    return result;
}

/* Sets a checkpoint. HEADER may belong to a file in which recording has ended. */
static int
checkpoint(const struct mp_live_header *header)
{
    if (header != mp_store.header || !mp_session_active())
        return -ESRCH;
    return mp_session_checkpoint_held(header->control.file) ? 0 : -ENOSPC;
}

/* Begins the next snapshot of the heap in the series for which mprof run asks. */
static int
numbered(void)
{
    int result;

    if (mp_copy_works())
        return -EBUSY;
    if (!mp_snapshot_series_wants(mp_store_path()))
        return 0;
    result = mp_session_heap(MP_TRIGGER_REQUEST, NULL, NULL);
    if (result == 0 && !mp_control_heap)
        mp_snapshot_series_made(mp_scan_file());
    return result;
}

static int
serve(struct mp_live_header *header, uint32_t request)
{
    switch (request) {
    case MP_REQUEST_STOP:
        mp_session_rest_held();
        return 0;
    case MP_REQUEST_START:
        return start(&header->control, header->sample_wanted);
    case MP_REQUEST_LEAKS:
        return mp_session_leaks(&header->offer);
    case MP_REQUEST_CHECKPOINT:
        return checkpoint(header);
    case MP_REQUEST_HEAP:
        return mp_session_heap(MP_TRIGGER_REQUEST, NULL, &header->offer);
    case MP_REQUEST_NUMBERED:
        return numbered();
    default:
        return -EINVAL;
    }
}

/* Takes the request and serves it, unless it was withdrawn. */
static void
take(struct mp_live_header *header)
{
    struct mp_live_control *control = &header->control;
    uint32_t request = __atomic_exchange_n(&control->request, MP_REQUEST_TAKEN, __ATOMIC_ACQ_REL);

    if (request != MP_REQUEST_NONE)
        control->answer = serve(header, request);
    __atomic_store_n(&control->request, MP_REQUEST_NONE, __ATOMIC_RELEASE);
}

MP_COLD void
mp_session_serve(void)
{
    struct mp_live_header *header;
    struct mp_gate_hold hold;
    bool taken;

    taken = mp_gate_lock(&hold);
    header = mp_control_header;
    /* The child of a vfork or a bare clone serves no request, because it shares its parent's memory. */
    if (taken && mp_control_wanted() && mp_gate_is_ours() && header->pid == (uint32_t)mp_sys_getpid())
        take(header);
    mp_gate_unlock(&hold);
    mp_copy_reap();
}
