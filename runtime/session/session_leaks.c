#include "session_leaks.h"

#include <errno.h>

#include "control.h"
#include "runtime/scan/scan.h"
#include "runtime/snapshot/snapshot_copy.h"
#include "runtime/system/diag.h"
#include "runtime/system/gate.h"
#include "runtime/system/options.h"
#include "runtime/system/sandbox.h"
#include "runtime/system/sys.h"
#include "runtime/system/thread.h"
#include "session.h"
#include "session_checkpoint.h"
#include "session_file.h"
#include "session_state.h"

/* The copy's process id or -errno. */
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
    const long pid = make(MP_TRIGGER_REQUEST, NULL, offer);

    return pid < 0 ? (int)pid : 0;
}

int
mp_session_heap(enum mp_heap_trigger trigger, const char *name, struct mp_live_offer *offer)
{
    long pid;

    if (mp_control_heap)
        return mp_control_heap(trigger, name, offer);
    pid = make(trigger, name, offer);
    return pid < 0 ? (int)pid : 0;
}

static int
call(const char *name)
{
    struct mp_gate_hold hold;
    int result = -EPERM;

    if (mp_gate_lock(&hold))
        result = mp_session_heap(MP_TRIGGER_CALL, name, NULL);
    mp_gate_unlock(&hold);
    return result;
}

int
mp_session_heap_called(const char *name, const void *frame)
{
    int result;

    if (mp_sandbox_is_shut())
        return -EPERM;
    if (mp_thread.held > 0)             /* in the handler of a signal that cannot be blocked */
        return -EBUSY;
    if (!mp_session_active())
        mp_session_begin_by(frame);
    while ((result = call(name)) == -EBUSY && mp_copy_works())
        mp_sys_sleep(1000);
    return result;
}

void
mp_session_leaks_at_exit(void)
{
    struct mp_gate_hold hold;
    long pid = -EPERM;

    if (!mp_options.leaks || mp_sandbox_is_shut())
        return;
    if (mp_gate_lock(&hold) && mp_session_active() && mp_session_is_ours()) {
        pid = make(MP_TRIGGER_EXIT, NULL, NULL);
        if (pid < 0)
            mp_diag("leaks", (int)-pid, "what is lost cannot be told");
    }
    mp_gate_unlock(&hold);
    if (pid > 0)
        mp_copy_wait(pid);
}
