/* SPDX-License-Identifier: MIT */
#include "session_checkpoint.h"

#include <errno.h>

#include "activation.h"
#include "runtime/snapshot/snapshot_copy.h"
#include "runtime/store/store.h"
#include "runtime/system/gate.h"
#include "runtime/system/sandbox.h"
#include "runtime/system/sys.h"
#include "session.h"
#include "session_leaks.h"
#include "session_marks.h"

bool
mp_session_checkpoint(const char *name, const void *frame)
{
    struct mp_gate_hold hold;
    bool set;

    if (mp_thread.held > 0) {           /* in the handler of a signal that cannot be blocked */
        if (mp_session_active())
            __atomic_add_fetch(&mp_store.header->checkpoints_left_out, 1, __ATOMIC_RELAXED);
        return false;
    }
    if (!mp_session_active())
        mp_activation_begin(frame);
    if (!mp_session_active())
        return false;
    set = mp_gate_lock(&hold) && mp_session_active() && mp_session_checkpoint_held(name);
    mp_gate_unlock(&hold);
    return set;
}

/* Begins a snapshot of the heap, called NAME. Returns 0 or -errno. */
static int
make_heap(const char *name)
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
        mp_activation_begin(frame);
    while ((result = make_heap(name)) == -EBUSY && mp_copy_works())
        mp_sys_sleep(1000);
    return result;
}
