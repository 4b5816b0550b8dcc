#include "session_checkpoint.h"

#include "activation.h"
#include "runtime/store/store.h"
#include "runtime/system/gate.h"
#include "session.h"
#include "session_marks.h"

void
mp_session_begin_by(const void *frame)
{
    struct mp_recorder *recorder = mp_enter(&mp_thread, frame);

    if (recorder)
        mp_leave(&mp_thread, recorder);
}

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
        mp_session_begin_by(frame);
    if (!mp_session_active())
        return false;
    set = mp_gate_lock(&hold) && mp_session_active() && mp_session_checkpoint_held(name);
    mp_gate_unlock(&hold);
    return set;
}
