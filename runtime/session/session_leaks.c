/* SPDX-License-Identifier: MIT */
#include "session_leaks.h"

#include <errno.h>

#include "control.h"
#include "runtime/scan/scan.h"
#include "runtime/snapshot/snapshot_copy.h"
#include "runtime/system/diag.h"
#include "runtime/system/gate.h"
#include "runtime/system/options.h"
#include "runtime/system/sandbox.h"
#include "session.h"
#include "session_file.h"
#include "session_state.h"

/* Begins a snapshot of malloc's blocks. Returns the process id of the copy that writes it, or -errno. */
static long
make(enum mp_heap_trigger trigger, const char *name, struct mp_live_offer *offer)
{
    if (!mp_session_active() || !mp_session_is_ours())
        return -ENODATA;
    if (mp_session.gap || mp_session.late || mp_options.stopped)
        return -EOPNOTSUPP;
    return mp_scan_make(trigger, name, offer);
}

int
mp_session_leaks(struct mp_live_offer *offer)
{
    MP_LOCK_HELD();
    const long pid = make(MP_TRIGGER_REQUEST, NULL, offer);

    return pid < 0 ? (int)pid : 0;
}

int
mp_session_heap(enum mp_heap_trigger trigger, const char *name, struct mp_live_offer *offer)
{
    MP_LOCK_HELD();
    long pid;

    if (mp_control_heap)
        return mp_control_heap(trigger, name, offer);
    pid = make(trigger, name, offer);
    return pid < 0 ? (int)pid : 0;
}

void
mp_session_leaks_at_exit(void)
{
    struct mp_gate_hold hold;
    long pid = -EPERM;

    if (!mp_options.leaks)
        return;
    if (mp_sandbox_is_shut()) {
        mp_store.header->leaks = MP_LEAKS_FILTER;
        return;
    }
    if (mp_gate_lock(&hold) && mp_session_active() && mp_session_is_ours()) {
        mp_store.header->leaks = MP_LEAKS_PARTIAL;      /* mp_scan_make() replaces this value unless it refuses
                                                           because of missing blocks */
        pid = make(MP_TRIGGER_EXIT, NULL, NULL);
        if (pid < 0 && mp_options.run_start_ticks == 0)         /* mprof run, if any, prints the reason itself */
            mp_diag("leaks", (int)-pid, "what is lost cannot be told");
    }
    mp_gate_unlock(&hold);
    if (pid <= 0)
        return;
    mp_copy_wait(pid);
    if (mp_gate_lock(&hold) && mp_session_active() && mp_session_is_ours())
        mp_scan_end();
    mp_gate_unlock(&hold);
}

void
mp_session_daemon(bool becomes)
{
    if (mp_session_is_ours() && mp_store.header->leaks == (becomes ? MP_LEAKS_WANTED : MP_LEAKS_DAEMON))
        mp_store.header->leaks = becomes ? MP_LEAKS_DAEMON : MP_LEAKS_WANTED;
}
